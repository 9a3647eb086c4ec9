CREATE TABLE `snapshots` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`sandbox_id` text NOT NULL,
	`sandbox_name` text NOT NULL,
	`name` text NOT NULL,
	`note` text NOT NULL,
	`revision` integer NOT NULL,
	`nodes` integer NOT NULL,
	`objects` integer NOT NULL,
	`bytes` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`state` text NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `snapshots_by_tenant` ON `snapshots` (`tenant_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `snapshots_by_expiry` ON `snapshots` (`expires_at_ms`);--> statement-breakpoint
CREATE INDEX `snapshots_unfinished` ON `snapshots` (`created_at_ms`) WHERE state <> 'ready';