ALTER TABLE `lesson_runs` ADD `time_keys` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `run_commands` ADD `page` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `run_commands` ADD `page_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `run_commands` ADD `line_number` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `run_commands` ADD `characters` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `run_commands_by_page` ON `run_commands` (`run_id`,`page`,`page_seq`) WHERE page <> '';--> statement-breakpoint
ALTER TABLE `lesson_classes` ADD `time_keys` text DEFAULT '[]' NOT NULL;