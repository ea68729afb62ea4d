/** A private WordPress, whose sessions are ended on the server. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeUnless } from '../support/left-out.js';
import { crawl } from '../support/scenario.js';
import { firstMissing, startDebianServer } from './support/debian-server.js';
import { loginConfiguration, surviveTheEnd } from './support/ended-sessions.js';

const WORDPRESS = '/usr/share/wordpress';
const MARIADB = '/usr/sbin/mariadbd';
const noWordPress =
  firstMissing([`${WORDPRESS}/wp-login.php`, MARIADB, '/usr/bin/php']) === undefined &&
  /^mysqli$/m.test(execFileSync('php', ['-m'], { encoding: 'utf8' }))
    ? undefined
    : 'WordPress is missing: apt-get install wordpress mariadb-server php-cli php-mysql';

const configure = (origin: string, databasePort: number): string => `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', '127.0.0.1:${databasePort}');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) { define($name . '_KEY', "$name of the test"); define($name . '_SALT', "salt of $name"); }
define('WP_HOME', '${origin}'); define('WP_SITEURL', '${origin}');
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_DEFAULT_THEME', 'plain');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';`;

/** What plug-ins for private sites do. */
const PRIVATE = `<?php add_action('template_redirect', function () { if (!is_user_logged_in()) auth_redirect(); });
add_filter('pre_wp_mail', '__return_true');`;

const THEME = `<!doctype html><html><head><title><?php echo is_singular() ? get_the_title() : 'Start'; ?></title><?php wp_head(); ?></head><body>
<?php while (have_posts()) { the_post(); ?><h2><a href="<?php the_permalink(); ?>"><?php the_title(); ?></a></h2><?php the_content(); } ?>
<?php wp_footer(); ?></body></html>`;

const INSTALL = `<?php define('WP_INSTALLING', true); require 'wordpress/wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Intranet', 'boss', 'boss@example.com', true, '', 'of-the-boss');
wp_insert_user(['user_login' => 'robot', 'user_pass' => 'right', 'role' => 'subscriber', 'user_email' => 'robot@example.com']);
foreach (['Holidays are requested three weeks ahead', 'Invoices go to accounting before noon', 'Bicycles stand behind the canteen'] as $text)
  wp_insert_post(['post_title' => $text, 'post_content' => "$text, says the board.", 'post_status' => 'publish', 'post_author' => 1]);`;

const END = `<?php require 'wordpress/wp-load.php'; WP_Session_Tokens::destroy_all_for_all_users();`;

const WITHOUT_ADMINISTRATION = '<Rules><Rule><Path value="/wp-admin/"/><Ignore/></Rule></Rules>';

describeUnless(noWordPress, 'a private WordPress', () => {
  it('keeps its documents when sessions end', async () => {
    const database = await startDebianServer({
      program: MARIADB,
      args: ({ port, folder }) => [
        '--no-defaults',
        ...[`--datadir=${folder}/data`, `--socket=${folder}/socket`, `--port=${port}`, '--bind-address=127.0.0.1'],
        ...['--user=root', '--skip-grant-tables', '--skip-networking=0', '--innodb-flush-log-at-trx-commit=0'],
      ],
      files: () => ({}),
      prepare: ({ folder }) => {
        const options = ['--no-defaults', `--datadir=${folder}/data`, '--user=root', '--skip-test-db'];
        execFileSync('mariadb-install-db', options, { stdio: 'pipe' });
        mkdirSync(join(folder, 'data/wordpress'));
      },
      startsWithinMs: 60_000,
    });
    const run = (folder: string, script: string) => execFileSync('php', [script], { cwd: folder, stdio: 'pipe' });
    const server = await startDebianServer({
      program: 'php',
      args: ({ port }) => ['-S', `127.0.0.1:${port}`, '-t', 'wordpress'],
      environment: () => ({ PHP_CLI_SERVER_WORKERS: '2' }),
      files: ({ port }) => ({
        'install.php': INSTALL,
        'end.php': END,
        'wp-config.php': configure(`http://127.0.0.1:${port}`, database.port),
      }),
      prepare: ({ folder }) => {
        const site = join(folder, 'wordpress');
        cpSync(WORDPRESS, site, {
          recursive: true,
          dereference: true,
          filter: (file) => !file.endsWith('/wp-content'),
        });
        for (const name of ['mu-plugins', 'themes/plain'])
          mkdirSync(join(site, 'wp-content', name), { recursive: true });
        cpSync(join(folder, 'wp-config.php'), join(site, 'wp-config.php'));
        writeFileSync(join(site, 'wp-content/mu-plugins/private.php'), PRIVATE);
        writeFileSync(join(site, 'wp-content/themes/plain/style.css'), '/* Theme Name: Plain */');
        writeFileSync(join(site, 'wp-content/themes/plain/index.php'), THEME);
        run(folder, 'install.php');
      },
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const login = `page="${origin}/wp-login.php" check="${origin}/wp-admin/profile.php" successSelector="#wp-admin-bar-logout"`;
    const world = await crawl(loginConfiguration(origin, login, { rules: WITHOUT_ADMINISTRATION }));
    const paths = (await world.indexed()).map((url) => url.slice(origin.length));
    // The start page, the post of the installation, and three more.
    expect(paths).toEqual(['/', ...Array.from({ length: 4 }, () => expect.stringMatching(/^\/\?p=\d+$/))]);
    await surviveTheEnd(world, () => run(server.folder, 'end.php'));
  });
});
