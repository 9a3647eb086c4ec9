CREATE TABLE `idempotency_keys` (
	`tenant_id` text NOT NULL,
	`key` text NOT NULL,
	`request` text NOT NULL,
	`holder` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`answer` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `key`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_age` ON `idempotency_keys` (`created_at_ms`);--> statement-breakpoint
ALTER TABLE `sandboxes` ADD `labels` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `sandboxes` ADD `made_of` text DEFAULT 'state' NOT NULL;