CREATE TABLE `secret_moves` (
	`secret_id` text PRIMARY KEY NOT NULL,
	`begun_at_ms` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `sandboxes` ADD `token_version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sandboxes` ADD `secret_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sandboxes` ADD `anonymous_access` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `tenants` ADD `created_by` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `tenants_by_creator` ON `tenants` (`created_by`) WHERE created_by <> '';--> statement-breakpoint
UPDATE `tenants` SET `created_by` = coalesce((SELECT `person_id` FROM `members` WHERE `members`.`tenant_id` = `tenants`.`id` AND `members`.`role` = 'owner' AND `members`.`created_at_ms` = `tenants`.`created_at_ms` LIMIT 1), '');
