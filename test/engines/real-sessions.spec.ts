/** Sessions of real software, which are ended on the server: no document is lost, and one login makes all current. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeUnless } from '../support/left-out.js';
import { crawl } from '../support/scenario.js';
import { firstMissing, startDebianServer } from './support/debian-server.js';
import { loginConfiguration, surviveTheEnd } from './support/ended-sessions.js';

const DJANGO = `
import sys, django
from django.conf import settings
settings.configure(DEBUG=True, SECRET_KEY='of-a-test', ROOT_URLCONF=__name__, ALLOWED_HOSTS=['*'], LOGIN_URL='/accounts/login/',
    LOGIN_REDIRECT_URL='/', INSTALLED_APPS=['django.contrib.auth', 'django.contrib.contenttypes', 'django.contrib.sessions'],
    MIDDLEWARE=['django.contrib.sessions.middleware.SessionMiddleware', 'django.middleware.csrf.CsrfViewMiddleware',
        'django.contrib.auth.middleware.AuthenticationMiddleware'],
    TEMPLATES=[{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'OPTIONS': {'loaders': [('django.template.loaders.locmem.Loader',
        {'registration/login.html': '<title>Log in</title><form method="post">{% csrf_token %}{{ form.as_p }}<button>Log in</button></form>'})],
        'context_processors': ['django.template.context_processors.request']}}],
    DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'site.db'}}, DEFAULT_AUTO_FIELD='django.db.models.AutoField')
django.setup()
from django.contrib.auth.decorators import login_required, permission_required
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView
from django.core.management import call_command, execute_from_command_line
from django.http import HttpResponse
from django.urls import path
def show(request, name='index'):
    links = ''.join(f'<a href="/{n}">{n}</a>' for n in ['a', 'b', 'c', 'board/1', 'board/2', 'accounts/logout/'])
    return HttpResponse(f'<title>{name}</title><p>Page {name} for members.</p>{links}')
urlpatterns = [path('accounts/login/', LoginView.as_view()), path('accounts/logout/', LogoutView.as_view()),
    path('board/<name>', permission_required('auth.delete_user')(show)), path('', login_required(show)), path('<name>', login_required(show))]
if sys.argv[1] == 'prepare':
    call_command('migrate', verbosity=0)
    User.objects.create_user('robot', password='right')
elif sys.argv[1] == 'end':
    from django.contrib.sessions.models import Session
    Session.objects.all().delete()
else:
    execute_from_command_line(['site.py', 'runserver', '--noreload', '127.0.0.1:' + sys.argv[1]])
`;

const succeeds = (program: string, ...args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const noDjango = succeeds('/usr/bin/python3', '-c', 'import django')
  ? undefined
  : 'Django is missing: apt-get install python3-django';

describeUnless(noDjango, 'Django', () => {
  it('keeps its documents when sessions end, and pages without permission cost no login', async () => {
    const run = (folder: string, command: string) =>
      execFileSync('/usr/bin/python3', ['site.py', command], { cwd: folder });
    const server = await startDebianServer({
      program: '/usr/bin/python3',
      args: ({ port }) => ['site.py', String(port)],
      files: () => ({ 'site.py': DJANGO }),
      prepare: ({ folder }) => run(folder, 'prepare'),
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const world = await crawl(loginConfiguration(origin, `page="${origin}/accounts/login/"`));
    expect((await world.indexed()).map((url) => new URL(url).pathname)).toEqual(['/', '/a', '/b', '/c']);
    expect(await world.state(`${origin}/board/1`)).toMatchObject({ reason: 'login-failed' });
    expect(await world.state(`${origin}/accounts/logout/`)).toMatchObject({ reason: 'login-page' });
    await surviveTheEnd(world, () => run(server.folder, 'end'));
  });
});

const DOKUWIKI = '/usr/share/dokuwiki';
const noDokuWiki =
  firstMissing([`${DOKUWIKI}/doku.php`, '/usr/bin/php']) &&
  'DokuWiki is missing: apt-get install php-cli php-xml dokuwiki';

const FOLDERS = 'attic cache index locks log media media_attic media_meta meta pages tmp'.split(' ');

/** A private wiki in a folder of its own: strangers see nothing. */
const configureWiki = (folder: string): Readonly<Record<string, string>> => ({
  'wiki/inc/preload.php': `<?php define('DOKU_CONF', '${folder}/conf/');`,
  'conf/local.php': `<?php $conf['title']='wiki'; $conf['savedir']='${folder}/data'; $conf['useacl']=1; $conf['authtype']='authplain';
    $conf['superuser']='admin'; $conf['disableactions']='register,resendpwd'; $conf['indexdelay']=0;`,
  'conf/acl.auth.php': '* @ALL 0\n* @user 1\n',
  'conf/users.auth.php': `robot:${createHash('md5').update('right').digest('hex')}:Robot:robot@example.com:user\n`,
  'data/pages/start.txt': '====== Start ======\nMembers begin here. [[a]] [[b]]\n',
  'data/pages/a.txt': '====== A ======\nThe first page. [[b]]\n',
  'data/pages/b.txt': '====== B ======\nThe second page. [[start]]\n',
});

describeUnless(noDokuWiki, 'DokuWiki', () => {
  it('keeps its documents when sessions end, and is not logged out by its own links', async () => {
    const server = await startDebianServer({
      program: 'php',
      args: ({ port, folder }) => [
        '-d',
        `session.save_path=${folder}/sessions`,
        '-S',
        `127.0.0.1:${port}`,
        '-t',
        'wiki',
      ],
      files: () => ({}),
      prepare: ({ folder }) => {
        for (const name of ['sessions', 'conf', ...FOLDERS.map((own) => `data/${own}`)])
          mkdirSync(join(folder, name), { recursive: true });
        cpSync(DOKUWIKI, join(folder, 'wiki'), { recursive: true, dereference: true });
        cpSync('/etc/dokuwiki', join(folder, 'conf'), {
          recursive: true,
          filter: (file) => !file.endsWith('auth.php'),
        });
        for (const [name, text] of Object.entries(configureWiki(folder))) writeFileSync(join(folder, name), text);
      },
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const login = `page="${origin}/doku.php?id=start&amp;do=login" successSelector="a[href*='do=logout']"`;
    const world = await crawl({
      ...loginConfiguration(origin, login),
      attributes: 'nthreads="1"',
    });
    const pages = ['/', '/doku.php?id=a', '/doku.php?id=b'];
    expect(await world.indexed()).toEqual(expect.arrayContaining(pages.map((path) => `${origin}${path}`)));
    await surviveTheEnd(world, () => {
      for (const name of readdirSync(join(server.folder, 'sessions'))) rmSync(join(server.folder, 'sessions', name));
      // The wiki's own cookie would log the crawl in again.
      for (const name of ['_htcookiesalt', '_htcookiesalt2'])
        rmSync(join(server.folder, 'data/meta', name), { force: true });
    });
  });
});
