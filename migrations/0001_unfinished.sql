ALTER TABLE `sandboxes` ADD `state` text DEFAULT 'ready' NOT NULL;--> statement-breakpoint
CREATE INDEX `sandboxes_unfinished` ON `sandboxes` (`created_at_ms`) WHERE state <> 'ready';