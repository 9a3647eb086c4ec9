CREATE TABLE `publishable_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`origins` text NOT NULL,
	`templates` text NOT NULL,
	`lessons` text NOT NULL,
	`ttl_seconds` integer NOT NULL,
	`limits` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `publishable_keys_by_tenant` ON `publishable_keys` (`tenant_id`,`created_at_ms`);--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `publishable_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `lesson_runs_by_sandbox` ON `lesson_runs` (`sandbox_id`);