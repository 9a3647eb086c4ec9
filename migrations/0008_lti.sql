CREATE TABLE `lti_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`public_jwk` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `lti_learners` (
	`platform_id` text NOT NULL,
	`link` text NOT NULL,
	`user_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`lesson` text NOT NULL,
	`title` text NOT NULL,
	`name` text NOT NULL,
	`line_item` text NOT NULL,
	`line_items` text NOT NULL,
	`is_canvas` integer NOT NULL,
	`run` text NOT NULL,
	`points` integer NOT NULL,
	`max_points` integer NOT NULL,
	`is_finished` integer NOT NULL,
	`launched_at_ms` integer NOT NULL,
	PRIMARY KEY(`platform_id`, `link`, `user_id`),
	FOREIGN KEY (`platform_id`) REFERENCES `lti_platforms`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `lti_learners_by_run` ON `lti_learners` (`run`);--> statement-breakpoint
CREATE INDEX `lti_learners_by_age` ON `lti_learners` (`launched_at_ms`);--> statement-breakpoint
CREATE INDEX `lti_learners_by_tenant` ON `lti_learners` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `lti_platforms` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`authorization_url` text NOT NULL,
	`token_url` text NOT NULL,
	`jwks_url` text NOT NULL,
	`audience` text NOT NULL,
	`deployments` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lti_platforms_by_client` ON `lti_platforms` (`tenant_id`,`issuer`,`client_id`);--> statement-breakpoint
CREATE TABLE `lti_used` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `lti_used_by_expiry` ON `lti_used` (`expires_at_ms`);