ALTER TABLE `lesson_runs` ADD `step_started_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `lesson_runs_by_learner` ON `lesson_runs` (`tenant_id`,`lesson`,`learner`,`created_at_ms`);--> statement-breakpoint
UPDATE `lesson_runs` SET `step_started_ms` = `changed_at_ms`;
