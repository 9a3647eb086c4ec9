-- The keys of before were all tenants': none of them may sign for one of them any more.
DROP TABLE `lti_keys`;
--> statement-breakpoint
CREATE TABLE `lti_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`public_jwk` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `lti_keys_by_tenant` ON `lti_keys` (`tenant_id`,`created_at_ms`);
