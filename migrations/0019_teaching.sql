CREATE TABLE `run_commands` (
	`run_id` text NOT NULL,
	`seq` integer NOT NULL,
	`at_ms` integer NOT NULL,
	`took_ms` integer NOT NULL,
	`line` text NOT NULL,
	`output` text NOT NULL,
	`exit_code` integer NOT NULL,
	PRIMARY KEY(`run_id`, `seq`),
	FOREIGN KEY (`run_id`) REFERENCES `lesson_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `shared_states` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`title` text NOT NULL,
	`snapshot_id` text NOT NULL,
	`forks` integer NOT NULL,
	`used` integer NOT NULL,
	`ttl_seconds` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `shared_states_by_tenant` ON `shared_states` (`tenant_id`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `shared_states_by_end` ON `shared_states` (`expires_at_ms`);--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `extra_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `paused_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `tokens_end_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `messages` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `members` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `email` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `help` text DEFAULT '{"state":"none","lines":[]}' NOT NULL;--> statement-breakpoint
ALTER TABLE `class_seats` ADD `email` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `class_seats` ADD `team` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `class_seats` ADD `team_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_classes` ADD `deadline_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_classes` ADD `paused_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_classes` ADD `team_size` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_classes` ADD `is_listed_only` integer DEFAULT false NOT NULL;