CREATE TABLE `templates` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`id` text NOT NULL,
	`description` text NOT NULL,
	`parts` text NOT NULL,
	`nodes` integer NOT NULL,
	`objects` integer NOT NULL,
	`bytes` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`, `version`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_id_unique` ON `templates` (`id`);--> statement-breakpoint
CREATE INDEX `templates_by_age` ON `templates` (`state`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `tenant_plans` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`plan` text DEFAULT '' NOT NULL,
	`overrides` text DEFAULT '{}' NOT NULL,
	`suspended` text DEFAULT '' NOT NULL,
	`reconciled_at_ms` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `usage_days` (
	`day` text NOT NULL,
	`tenant_id` text NOT NULL,
	`seconds` real NOT NULL,
	`awake_seconds` real NOT NULL,
	`requests` integer NOT NULL,
	`rows_read` integer NOT NULL,
	`rows_written` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`day`, `tenant_id`)
);
