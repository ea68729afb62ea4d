/** The `crawlway` command: one subcommand a file in this folder. */
import { Command } from 'commander';
import '../server/end-with-launcher.js';
import { SINK_TYPE_NAMES } from '../domain/push/sink-types.js';
import { fail } from '../server/fail.js';
import { run } from '../server/run.js';
import { ROLES } from '../server/security/api-keys.js';
import { SERVER_VERSION } from '../server/version.js';
import { check } from './check.js';
import { clear } from './clear.js';
import { completion, SHELLS } from './completion.js';
import { crawl } from './crawl.js';
import { doctor } from './doctor.js';
import { explain } from './explain.js';
import { extract } from './extract.js';
import { IMPORT_FORMATS, importConfiguration } from './import/import.js';
import { init } from './init.js';
import { createKey, createSigningKey, listKeys, withdrawKey } from './keys.js';
import { listLogins, testLogin } from './login.js';
import { mcp } from './mcp.js';
import { createPlugin } from './new-plugin.js';
import { push } from './push.js';
import { refresh } from './refresh.js';
import { listRefused } from './refused.js';
import { render } from './render.js';
import { listRoots } from './roots.js';
import { testSinks } from './sinks.js';
import { status } from './status.js';
import { exportStore, importStore } from './store.js';
import { submit } from './submit.js';

const program = new Command('crawlway')
  .description('Crawls web sites and keeps a search index in sync with them.')
  .version(SERVER_VERSION)
  .showHelpAfterError('crawlway --help lists the commands, crawlway COMMAND --help the options of one.')
  .addHelpText(
    'after',
    '\nExit code: 0 done, 1 the command could not do what was asked (it says why); others are in the help of the command.',
  )
  .configureHelp({ showGlobalOptions: true });

const addJsonOption = (command: Command): Command => command.option('--json', 'print the result as JSON');

const addServerOption = (command: Command): Command =>
  command.option(
    '--server <url>',
    'the running server (else CRAWLWAY_HOST and CRAWLWAY_PORT; key in CRAWLWAY_API_KEY)',
  );

const addConfigurationOptions = (command: Command): Command =>
  command.option('--config <file>', 'the configuration (else CRAWLWAY_CONFIG, else config/CrawlConfig.xml)');

addConfigurationOptions(program.command('init'))
  .description('write a first configuration: asks on a terminal; otherwise, without a URL, it is the bundled sample')
  .argument('[url]', 'the site to crawl')
  .option('--folder', 'stay in the folder of the URL (else on its site)')
  .option('--name <name>', 'name of the crawler (else the host)')
  .option('--sink <type>', `where documents go: bundled, ${SINK_TYPE_NAMES.join(', ')}`, undefined)
  .option('--sink-url <url>', 'address of the sink')
  .option('--index <name>', 'index of the search engine (else crawlway)')
  .option('--login <user>', 'user of the sink')
  .option('--secret <variable>', 'environment variable with its API key or password: CRAWLWAY_SECRET_…')
  .option('--contact <address>', 'a page about this crawl or a mail address, for the operators of sites')
  .option('--force', 'overwrite a configuration that exists')
  .option('--json', 'print the result as JSON')
  .action(init);

addConfigurationOptions(program.command('serve'))
  .description('run the server')
  .option('--data <folder>', 'where it keeps what it knows (else CRAWLWAY_DATA, else data)')
  .option('--port <number>', 'port of API and console (else CRAWLWAY_PORT, else 8740)')
  .option('--host <address>', 'address to listen on (else CRAWLWAY_HOST, else 127.0.0.1)')
  .option(
    '--fetch-log <file>',
    'append every visit to this file as a line of JSON (else CRAWLWAY_FETCH_LOG, else none)',
  )
  .option(
    '--no-sample',
    'do not start the bundled sample site and index, even when the configuration names their addresses',
  )
  .action((options) => run(options, options.sample));

addJsonOption(program.command('crawl'))
  .description('crawl whole sites to the end, without a server')
  .argument('<url...>', 'where to begin; a URL that ends in / stands for its site, another for its folder')
  .option('--out <file>', 'write push orders to this file as JSON lines (else to the standard output)')
  .option('--delay <ms>', 'pause between two requests to one web server (else 2500; 0 on this machine)')
  .option('--max-pages <number>', 'end after this many pages, sitemaps included')
  .option('--render <mode>', 'run the scripts of pages in Chromium: never, auto or always (else never)')
  .option('--no-sandbox', 'run Chromium without its sandbox: only inside a container that confines it')
  .addHelpText(
    'after',
    '\nExit code: 0 crawled to the end, 2 a start URL could not be crawled, 3 --max-pages reached, 4 crawled to the end and no document was indexed, 130 interrupted.',
  )
  .action(crawl);

addJsonOption(program.command('check'))
  .description('check a configuration: every problem as FILE:LINE:COLUMN code message')
  .argument('[file]', 'the configuration (else CRAWLWAY_CONFIG, else config/CrawlConfig.xml)')
  .addHelpText('after', '\nExit code: 0 no errors, 1 errors.')
  .action(check);

addJsonOption(program.command('import'))
  .description(
    'write a configuration from that of another crawler, with a report of what was converted and what was not',
  )
  .argument('<format>', IMPORT_FORMATS.join(', '))
  .argument('<file...>', 'its configuration, and the lists and rules that belong to it')
  .option('--out <file>', 'the configuration to write (else imported-FORMAT.xml)')
  .option('--force', 'overwrite a file that exists')
  .action(importConfiguration);

addJsonOption(addServerOption(addConfigurationOptions(program.command('explain'))))
  .description('say why a URL is crawled, or not: asks the running server, or judges by the configuration alone')
  .argument('<url>')
  .option('--crawler <name>', 'only this crawler')
  .option('--from <referrer>', 'judge it as a link on this page')
  .addHelpText(
    'after',
    '\nExit code: 0 in the index, 2 on its way there, 3 not in the index, 1 there was nothing to ask. Without a server: 0 accepted by the configuration, 3 rejected.\nOf several crawlers the lowest code counts.',
  )
  .action(explain);

addJsonOption(program.command('extract'))
  .description(
    'print what is read from a page or document: its text, or with --json also metas, fields, headings, chunks and links',
  )
  .argument('<source>', 'a URL or a file')
  .option(
    '--url <url>',
    'where the file would be on the web, which determines its relative links and the settings for its URL',
  )
  .option('--markdown', 'print it as Markdown')
  .option('--config <file>', 'read it according to the Content elements of a crawler in this configuration')
  .option('--crawler <name>', 'which crawler of --config (else the first)')
  .addHelpText('after', '\nExit code: 0 read, 1 there is no document, 2 its text cannot be extracted.')
  .action(extract);

addJsonOption(program.command('render'))
  .description('compare a page as it is sent with what its scripts make of it in Chromium: text and links')
  .argument('<url>')
  .option('--picture <file>', 'write a JPEG picture of the page to this file')
  .option('--config <file>', 'render it as the rules and the Renderer of this configuration say')
  .option('--crawler <name>', 'which crawler of --config (else the first)')
  .option('--no-sandbox', 'run Chromium without its sandbox: only inside a container that confines it')
  .addHelpText('after', '\nExit code: 0 rendered, 1 there is no page, 2 it could not be rendered.')
  .action(render);

addJsonOption(addServerOption(program.command('refused')))
  .description('list the links that were refused since the server started, by reason and host, with samples')
  .option('--crawler <name>', 'only this crawler')
  .option('--reason <code>', 'only this reason code')
  .option('--host <host>', 'only links to this host')
  .action(listRefused);

addJsonOption(addServerOption(program.command('submit')))
  .description('submit a URL list to the running server')
  .requiredOption('-f, --file <file>', 'one URL a line, # comments, \\ continuation; - reads the standard input')
  .option('--crawler <name>', 'the crawler, when there are several')
  .action(submit);

addJsonOption(addServerOption(program.command('clear')))
  .description('delete stored URLs, and their documents from the index')
  .argument('<pattern>', 'all of a URL, with * or % for any characters: http://www.example.com/*')
  .option('--crawler <name>', 'the crawler, when there are several')
  .option('-y, --yes', 'do not ask for confirmation')
  .action(clear);

addJsonOption(addServerOption(program.command('push')))
  .description(
    'send everything that is indexed to a sink, and follow the progress (the server continues without this command)',
  )
  .requiredOption('--again <sink>', 'name of the sink')
  .option('--crawler <name>', 'only the documents of this crawler')
  .option('--no-wait', 'return once the server has started')
  .action(push);

addJsonOption(addServerOption(program.command('refresh')))
  .description('visit a stored URL now, or all that match a pattern; a host that rests is asked once')
  .argument('<url|pattern>', 'a URL, or a pattern of whole URLs: http://www.example.com/*')
  .option('--crawler <name>', 'the crawler, when there are several')
  .action(refresh);

addJsonOption(addServerOption(program.command('status')))
  .description('show crawlers, sources, rates, errors and sinks of the running server')
  .option('--once', 'print once and end')
  .action(status);

addJsonOption(addServerOption(program.command('roots')))
  .description('list the start URLs and what became of each')
  .option('--crawler <name>', 'only this crawler')
  .action(listRoots);

const sinks = program.command('sinks').description('destinations of push orders');
addJsonOption(addConfigurationOptions(sinks.command('test')))
  .description('test whether a sink of the configuration, or all of them, respond; sends no order')
  .argument('[name]')
  .addHelpText('after', '\nExit code: 0 all respond, 1 one does not.')
  .action(testSinks);

addJsonOption(addConfigurationOptions(program.command('doctor')))
  .description('try everything that a crawl needs: Node, configuration, disk, DNS, sinks, clock, proxies')
  .option('--data <folder>', 'where the server keeps what it knows (else CRAWLWAY_DATA, else data)')
  .addHelpText('after', '\nExit code: 0 nothing failed, 1 something did.')
  .action(doctor);

addJsonOption(
  addConfigurationOptions(program.command('new').description('create files to start from').command('plugin')),
)
  .description('write a plug-in to begin with, in the folder plugins beside the configuration')
  .argument('<name>')
  .action(createPlugin);

addServerOption(program.command('mcp'))
  .description('let an assistant look at the running server and submit URLs: the Model Context Protocol over stdio')
  .action(mcp);

program
  .command('completion')
  .description('print a script that completes commands: eval "$(crawlway completion bash)"')
  .argument('<shell>', SHELLS.join(', '))
  .action((shell: string) => completion(program, shell));

const login = program.command('login').description('logins at web sites that the running server crawls');

addJsonOption(addServerOption(login.command('list')))
  .description('show the logins of the configuration and their states')
  .action(listLogins);

addJsonOption(addServerOption(login.command('test')))
  .description('log in now, and show each step without secrets')
  .argument('<name>')
  .addHelpText('after', '\nExit code: 0 the login works, 2 it fails.')
  .action(testLogin);

const keys = program
  .command('keys')
  .description('API keys of the running server (needs a key with the role admin), and keys that sign requests');

addJsonOption(keys.command('new'))
  .description('make a key that signs the requests of a fetcher (cw:BotAuth), without a server')
  .option('--out <file>', 'where to write the private key; readable for its owner alone (else the standard output)')
  .action(createSigningKey);

addJsonOption(addServerOption(keys.command('list')))
  .description('list the names and roles of all keys')
  .action(listKeys);

addJsonOption(addServerOption(keys.command('create')))
  .description('create a key and print it, only this once')
  .argument('<name>', 'who uses it: what the audit log shows')
  .argument('<role>', ROLES.join(', '))
  .option('--expires <when>', 'days like 90d, or a time like 2027-01-31T00:00:00Z (else never)')
  .action(createKey);

addJsonOption(addServerOption(keys.command('withdraw')))
  .description('revoke a key at once')
  .argument('<name>')
  .action(withdrawKey);

const store = program.command('store').description('move the data of a stopped server to another database');
const addDatabaseOptions = (command: Command): Command =>
  command
    .option('--database <url>', 'sqlite:FILE or postgres://… (else CRAWLWAY_DATABASE_URL)')
    .option('--data <folder>', 'the data directory of the SQLite file (else CRAWLWAY_DATA, else data)');

addJsonOption(addDatabaseOptions(store.command('export')))
  .description('write the data of the crawl as lines of JSON; an interrupted export continues')
  .argument('<file>', '- writes to the standard output')
  .action(exportStore);

addJsonOption(addDatabaseOptions(store.command('import')))
  .description('read an export into an empty database and check counts and digests; an interrupted import continues')
  .argument('<file>', '- reads the standard input')
  .action(importStore);

/** `crawlway … | head`: the reader has read enough, which is not an error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  fail(error);
});

await program.parseAsync().catch(fail);
