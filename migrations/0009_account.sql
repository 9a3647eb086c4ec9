ALTER TABLE `control_audit` ADD `detail` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `control_audit_of_operator` ON `control_audit` (`actor_kind`) WHERE actor_kind = 'operator';--> statement-breakpoint
CREATE INDEX `control_audit_by_person` ON `control_audit` (`actor_id`) WHERE actor_kind = 'person';--> statement-breakpoint
ALTER TABLE `tenant_plans` ADD `told_after` text;