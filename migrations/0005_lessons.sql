CREATE TABLE `lesson_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`lesson` text NOT NULL,
	`version` integer NOT NULL,
	`learner` text NOT NULL,
	`sandbox_id` text NOT NULL,
	`step` integer NOT NULL,
	`step_revision` integer NOT NULL,
	`answer` text NOT NULL,
	`progress` text NOT NULL,
	`points` integer NOT NULL,
	`max_points` integer NOT NULL,
	`is_finished` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`changed_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`change` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `lesson_runs_by_lesson` ON `lesson_runs` (`tenant_id`,`lesson`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `lesson_runs_by_age` ON `lesson_runs` (`created_at_ms`);--> statement-breakpoint
CREATE TABLE `lessons` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`title` text NOT NULL,
	`steps` integer NOT NULL,
	`points` integer NOT NULL,
	`document` text NOT NULL,
	`characters` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`, `version`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
