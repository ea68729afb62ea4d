-- Spreads the tables of Crawlway over the workers of a Citus cluster: psql -f distribute.sql, once, when the first server
-- has made the tables and no server runs. All of them are spread by the partition of the host, and lie together by it.
-- It has not been run: no Citus was at hand. See docs/scaling.md for what is known to stand in the way.
-- What every node reads and few write stays on the coordinator: node, partition_owner, setting, configuration_version,
-- audit, api_key, console_session, migration, secret.
ALTER SEQUENCE site_seq AS bigint;
SELECT create_distributed_table('site', 'part', shard_count => 128);
SELECT create_distributed_table('url', 'part', colocate_with => 'site');
SELECT create_distributed_table('visit', 'part', colocate_with => 'site');
SELECT create_distributed_table('page_links', 'part', colocate_with => 'site');
SELECT create_distributed_table('host', 'part', colocate_with => 'site');
SELECT create_distributed_table('counter', 'part', colocate_with => 'site');
SELECT create_distributed_table('push_order', 'part', colocate_with => 'site');
SELECT create_distributed_table('owner_command', 'part', colocate_with => 'site');
SELECT create_distributed_table('owed_order', 'part', colocate_with => 'site');
SELECT create_distributed_table('owed_count', 'part', colocate_with => 'site');
