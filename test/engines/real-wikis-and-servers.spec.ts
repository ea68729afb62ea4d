/** Sessions of a private MediaWiki and of a Java server with a form (FORM), which are ended on the server. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { describeUnless } from '../support/left-out.js';
import { crawl } from '../support/scenario.js';
import { firstMissing, startDebianServer } from './support/debian-server.js';
import { loginConfiguration, surviveTheEnd } from './support/ended-sessions.js';

const MEDIAWIKI = '/usr/share/mediawiki';
const noMediaWiki =
  firstMissing([`${MEDIAWIKI}/maintenance/install.php`, '/usr/bin/php']) &&
  'MediaWiki is missing: apt-get install mediawiki php-cli php-sqlite3 php-mbstring php-intl';

/** Strangers may read nothing but the page where one logs in. */
const PRIVATE = `
$wgGroupPermissions['*']['read'] = false;
$wgGroupPermissions['*']['edit'] = false;
$wgGroupPermissions['*']['createaccount'] = false;
$wgPasswordPolicy['policies']['default'] = [];
$wgJobRunRate = 0;
`;

/** What wikis have beside their articles, as one leaves it out in practice. */
const ARTICLES =
  '<Rules><Rule><Url val=".*(action=|oldid=|diff=|printable=|returnto=|mobileaction=|Special:|load\\.php|api\\.php|rest\\.php).*"/><Ignore/></Rule></Rules>';

describeUnless(noMediaWiki, 'a private MediaWiki', () => {
  it('keeps its documents when sessions end', async () => {
    let origin = '';
    const maintain = (folder: string, script: string, ...args: readonly string[]): void =>
      void execFileSync(
        'php',
        [`${MEDIAWIKI}/maintenance/${script}.php`, '--conf', `${folder}/LocalSettings.php`, ...args],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
    const write = (folder: string, title: string, text: string): void =>
      void execFileSync(
        'php',
        [`${MEDIAWIKI}/maintenance/edit.php`, '--conf', `${folder}/LocalSettings.php`, '-u', 'Admin', title],
        {
          input: text,
          stdio: ['pipe', 'pipe', 'pipe'],
        },
      );
    const server = await startDebianServer({
      program: 'php',
      args: ({ port, folder }) => ['-d', `session.save_path=${folder}`, '-S', `127.0.0.1:${port}`, '-t', MEDIAWIKI],
      environment: ({ folder }) => ({ MW_CONFIG_FILE: `${folder}/LocalSettings.php`, PHP_CLI_SERVER_WORKERS: '2' }),
      files: ({ port }) => {
        origin = `http://127.0.0.1:${port}`;
        return {};
      },
      prepare: ({ folder }) => {
        const options = {
          dbtype: 'sqlite',
          dbpath: folder,
          dbname: 'wiki',
          confpath: folder,
          scriptpath: '',
          server: origin,
          pass: 'of-the-admin-1',
        };
        const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
        execFileSync('php', [`${MEDIAWIKI}/maintenance/install.php`, ...args, 'Wiki', 'Admin'], { stdio: 'pipe' });
        appendFileSync(join(folder, 'LocalSettings.php'), PRIVATE);
        maintain(folder, 'createAndPromote', '--force', 'Robot', 'right');
        // In this order, because links to articles that do not exist yet are other ones.
        write(folder, 'Second', 'The second article, about [[Main Page]].');
        write(folder, 'First', 'The first article, about [[Second]].');
        write(folder, 'Main Page', 'Members begin here: [[First]], [[Second]]');
      },
    });
    const login = `page="${origin}/index.php?title=Special:UserLogin" successSelector="#pt-logout"`;
    const world = await crawl(loginConfiguration(origin, login, { user: 'Robot', rules: ARTICLES }));
    const documents = await world.indexed();
    for (const title of ['First', 'Second'])
      expect(
        documents.filter((url) => url.endsWith(title)),
        title,
      ).toHaveLength(1);
    await surviveTheEnd(world, () => maintain(server.folder, 'invalidateUserSessions', '--user', 'Robot'));
  });
});

const TOMCAT = '/usr/share/tomcat10';
const noTomcat =
  firstMissing([`${TOMCAT}/bin/bootstrap.jar`, '/usr/bin/java']) &&
  'Tomcat is missing: apt-get install tomcat10 default-jre-headless';

/** Everything is for members. A form is shown at the address that was asked for. */
const WEB = `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
  <security-constraint><web-resource-collection><web-resource-name>all</web-resource-name><url-pattern>/*</url-pattern></web-resource-collection>
    <auth-constraint><role-name>member</role-name></auth-constraint></security-constraint>
  <login-config><auth-method>FORM</auth-method><form-login-config><form-login-page>/login.html</form-login-page><form-error-page>/error.html</form-error-page></form-login-config></login-config>
  <security-role><role-name>member</role-name></security-role>
  <welcome-file-list><welcome-file>index.html</welcome-file></welcome-file-list></web-app>`;

const FORM =
  '<title>Log in</title><form method="post" action="/j_security_check"><input name="j_username"><input type="password" name="j_password"><button>go</button></form>';
const article = (name: string): string =>
  `<title>${name}</title><p>Page ${name} for members.</p><a id="members" href="/a.html">a</a> <a href="/b.html">b</a> <a href="/c.html">c</a>`;

const EMPTY_ARCHIVE = `PK\u0005\u0006${'\0'.repeat(18)}`;

const SERVER = (
  port: number,
) => `<Server port="-1"><Service name="Catalina"><Connector port="${port}" address="127.0.0.1"/>
  <Engine name="Catalina" defaultHost="localhost" backgroundProcessorDelay="1"><Realm className="org.apache.catalina.realm.MemoryRealm"/>
  <Host name="localhost" appBase="webapps" autoDeploy="false"><Context path="" docBase="ROOT" reloadable="true"><Manager pathname=""/></Context></Host></Engine></Service></Server>`;

describeUnless(noTomcat, 'Tomcat with a form', () => {
  it('keeps its documents when sessions end', async () => {
    const server = await startDebianServer({
      program: 'java',
      args: ({ folder }) => [
        '-Xmx96m',
        `-Dcatalina.home=${folder}/home`,
        `-Dcatalina.base=${folder}`,
        `-Djava.util.logging.config.file=${folder}/conf/logging.properties`,
        '-Djava.util.logging.manager=org.apache.juli.ClassLoaderLogManager',
        '-cp',
        `${folder}/home/bin/bootstrap.jar:${folder}/home/bin/tomcat-juli.jar`,
        'org.apache.catalina.startup.Bootstrap',
        'start',
      ],
      files: ({ port, folder }) => {
        for (const name of ['conf', 'logs', 'temp', 'work', 'webapps/ROOT/WEB-INF/lib'])
          mkdirSync(join(folder, name), { recursive: true });
        symlinkSync(realpathSync(TOMCAT), join(folder, 'home'));
        const pages = Object.fromEntries(
          ['index', 'a', 'b', 'c'].map((name) => [`webapps/ROOT/${name}.html`, article(name)]),
        );
        return {
          ...pages,
          'conf/server.xml': SERVER(port),
          'conf/web.xml': `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0"><servlet><servlet-name>default</servlet-name><servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class></servlet>
            <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping><mime-mapping><extension>html</extension><mime-type>text/html</mime-type></mime-mapping></web-app>`,
          'conf/tomcat-users.xml':
            '<tomcat-users><user username="robot" password="right" roles="member"/></tomcat-users>',
          'conf/logging.properties': `handlers = java.util.logging.FileHandler\njava.util.logging.FileHandler.pattern = ${folder}/logs/log\njava.util.logging.FileHandler.formatter = java.util.logging.SimpleFormatter\n`,
          'webapps/ROOT/WEB-INF/web.xml': WEB,
          'webapps/ROOT/login.html': FORM,
          'webapps/ROOT/error.html': `<p>Wrong password.</p>${FORM}`,
        };
      },
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const world = await crawl(loginConfiguration(origin, `page="${origin}/" successSelector="#members"`));
    expect((await world.indexed()).map((url) => new URL(url).pathname)).toEqual(['/', '/a.html', '/b.html', '/c.html']);
    await surviveTheEnd(world, async () => {
      // A new library restarts the application, which does not keep its sessions.
      server.write('webapps/ROOT/WEB-INF/lib/new.jar', EMPTY_ARCHIVE);
      await vi.waitFor(() => expect(server.read('logs/log')).toMatch(/Reloading Context with name \[\] is completed/), {
        timeout: 30_000,
        interval: 100,
      });
    });
    rmSync(join(server.folder, 'home'));
  });
});
