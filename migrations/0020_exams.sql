ALTER TABLE `lesson_runs` ADD `clusters` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `lesson_runs` ADD `is_exam` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `lesson_runs_with_clusters` ON `lesson_runs` (`tenant_id`,`expires_at_ms`) WHERE clusters <> '[]';--> statement-breakpoint
CREATE INDEX `lesson_runs_ungraded` ON `lesson_runs` (`expires_at_ms`) WHERE is_exam = 1 AND is_finished = 0;--> statement-breakpoint
ALTER TABLE `shared_states` ADD `clusters` text DEFAULT '[]' NOT NULL;