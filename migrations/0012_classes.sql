CREATE TABLE `class_seats` (
	`id` text PRIMARY KEY NOT NULL,
	`class_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`run` text NOT NULL,
	`runs` integer NOT NULL,
	`making_until_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`class_id`) REFERENCES `lesson_classes`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `class_seats_by_name` ON `class_seats` (`class_id`,`name_key`);--> statement-breakpoint
CREATE TABLE `lesson_classes` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`lesson` text NOT NULL,
	`title` text NOT NULL,
	`seats` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `lesson_classes_by_lesson` ON `lesson_classes` (`tenant_id`,`lesson`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `lesson_classes_by_end` ON `lesson_classes` (`expires_at_ms`);--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `class_id` text DEFAULT '' NOT NULL;