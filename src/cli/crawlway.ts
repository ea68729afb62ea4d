/** The `crawlway` command. Each subcommand has a file in this folder. */
import { Command } from 'commander';
import { IMPORT_FORMATS } from '../../import/formats.js';
import '../server/end-with-launcher.js';
import { SINK_TYPE_NAMES } from '../domain/push/sink-types.js';
import { fail, toFileError } from '../server/fail.js';
import { GRANT_FORM } from '../server/security/api-keys.js';
import { SERVER_VERSION } from '../server/version.js';
import { printCompletion, SHELLS } from './completion.js';
import { serveAssistant } from './mcp.js';
import { addJsonOption, addOperatingCommands, addOrderList, addServerOption, later } from './operating-commands.js';
import { listLogins, showStatus, testLogin } from './status.js';
import { deleteUrls, listRefusedLinks, listRoots, refreshUrls, submitUrls } from './urls.js';

const program = new Command('crawlway')
  .description('Crawls web sites and keeps a search index in sync with them.')
  .version(SERVER_VERSION)
  .showHelpAfterError('"crawlway --help" lists the commands, "crawlway COMMAND --help" the options of a command.')
  .addHelpText(
    'after',
    '\nExit code: 0 success, 1 failure (with an error message); any other code is described in the help of the command.',
  )
  .configureHelp({ showGlobalOptions: true });

const addConfigurationOptions = (command: Command): Command =>
  command.option('--config <file>', 'configuration file (default: $CRAWLWAY_CONFIG, or config/CrawlConfig.xml)');

addConfigurationOptions(program.command('init'))
  .description(
    'write a first configuration: asks questions on a terminal; otherwise, without a URL, writes the bundled sample',
  )
  .argument('[url]', 'the site to crawl')
  .option('--folder', 'stay in the folder of the URL (default: stay on its site)')
  .option('--name <name>', 'name of the crawler (default: the host)')
  .option('--sink <type>', `where documents go: bundled, ${SINK_TYPE_NAMES.join(', ')}`, undefined)
  .option('--sink-url <url>', 'address of the sink')
  .option('--index <name>', 'search index to write to (default: crawlway)')
  .option('--login <user>', 'user name for the sink')
  .option('--secret <variable>', "environment variable with the sink's API key or password: CRAWLWAY_SECRET_…")
  .option('--contact <address>', 'a page about this crawl or an email address, for site operators')
  .option('--offline', 'do not try whether the site can be reached')
  .option('--force', 'overwrite an existing configuration')
  .option('--json', 'print the result as JSON')
  .action(later(async () => (await import('./init.js')).init));

addConfigurationOptions(program.command('serve'))
  .description('run the server')
  .option('--data <folder>', 'data directory (default: $CRAWLWAY_DATA, or data)')
  .option('--port <number>', 'port of the API and the console (default: $CRAWLWAY_PORT, or 8740)')
  .option('--host <address>', 'address to listen on (default: $CRAWLWAY_HOST, or 127.0.0.1)')
  .option(
    '--fetch-log <file>',
    'append every visit to this file as a line of JSON (default: $CRAWLWAY_FETCH_LOG, or none)',
  )
  .option(
    '--sample-port <number>',
    'port of the bundled sample site, the next one is that of the bundled index (default: $CRAWLWAY_SAMPLE_PORT, or 8741)',
  )
  .option(
    '--no-sample',
    'do not start the bundled sample site and index, even if the configuration names their addresses',
  )
  .action(async (options) => (await import('../server/run.js')).run(options, options.sample));

addJsonOption(program.command('crawl'))
  .description('crawl whole sites to the end, without a server')
  .argument('<url...>', 'start URLs; a URL that ends in / stands for its site, any other for its folder')
  .option('--out <file>', 'write push orders to this file as JSON lines (default: to standard output)')
  .option('--delay <ms>', 'pause between two requests to one web server (default: 2500, or 0 on this machine)')
  .option(
    '--header <"name: value">',
    'send this header with each request; may be given several times',
    (header: string, headers: readonly string[] = []) => [...headers, header],
  )
  .option('--max-pages <number>', 'stop after this many pages, including sitemaps')
  .option('--render <mode>', "run pages' scripts in Chromium: never, auto or always (default: never)")
  .option('--no-sandbox', 'run Chromium without its sandbox; only use this inside a container that confines it')
  .addHelpText(
    'after',
    '\nExit code: 0 crawled to the end, 2 a start URL could not be crawled, 3 --max-pages reached, 4 crawled to the end but no document was indexed, 130 interrupted.',
  )
  .action(later(async () => (await import('./crawl.js')).crawl));

addJsonOption(program.command('check'))
  .description('check configurations and rule files, and print every problem as FILE:LINE:COLUMN code message')
  .argument(
    '[files...]',
    'configurations, .rules and .conf files (default: $CRAWLWAY_CONFIG, or config/CrawlConfig.xml)',
  )
  .option('--data <folder>', 'data directory with the secrets of the server (default: $CRAWLWAY_DATA, or data)')
  .addHelpText('after', '\nExit code: 0 no errors, 1 errors.')
  .action(later(async () => (await import('./check.js')).checkConfigurations));

addJsonOption(program.command('import'))
  .description("convert another crawler's configuration, and report what was converted and what was not")
  .argument('<format>', IMPORT_FORMATS.join(', '))
  .argument('<file...>', 'the configuration file, and the lists and rule files that belong to it, or their folder')
  .option('--out <file>', 'configuration file to write (default: imported-FORMAT.xml)')
  .option('--force', 'overwrite an existing file')
  .option('--urls <file>', 'compare what both configurations say about the URLs of a list, a log or a sitemap')
  .option(
    '--from-index <url>',
    'compare what both configurations say about the documents in an index of Solr, Elasticsearch or OpenSearch',
  )
  .option('--field <name>', 'with --from-index: the field with the URL', 'url')
  .addHelpText(
    'after',
    '\nExit code: 0 converted and, with --urls or --from-index, no URL gets another verdict; 2 some do; 1 the command failed.',
  )
  .action(later(async () => (await import('./import.js')).importConfiguration));

addJsonOption(addServerOption(addConfigurationOptions(program.command('explain'))))
  .description('explain why a URL is crawled or not: asks the running server, or judges by the configuration alone')
  .argument('<url>')
  .option('--crawler <name>', 'only this crawler')
  .option('--from <referrer>', 'judge the URL as a link on this page')
  .addHelpText(
    'after',
    '\nExit code: 0 in the index, 2 on its way there, 3 not in the index, 1 the command failed. Without a server: 0 accepted by the configuration, 3 rejected.\nWith several crawlers, the lowest code is returned.',
  )
  .action(later(async () => (await import('./explain.js')).explain));

addJsonOption(program.command('extract'))
  .description(
    'print what is read from a page or document: its text, or with --json also metas, fields, headings, chunks and links',
  )
  .argument('<source>', 'a URL or a file')
  .option('--url <url>', "the file's URL on the web, which determines its relative links and the settings that apply")
  .option('--markdown', 'print the text as Markdown')
  .option('--config <file>', 'fetch and read the page as a crawler in this configuration does, whatever its rules say')
  .option('--crawler <name>', 'crawler in --config (default: the first one)')
  .addHelpText('after', '\nExit codes: 0: text extracted; 1: document not found; 2: text cannot be extracted.')
  .action(later(async () => (await import('./extract.js')).extract));

addJsonOption(program.command('render'))
  .description('compare the text and links of a page as sent with those after its scripts have run in Chromium')
  .argument('<url>')
  .option('--picture <file>', 'write a JPEG screenshot of the page to this file')
  .option('--config <file>', 'render the page according to the rules and the Renderer of this configuration')
  .option('--crawler <name>', 'crawler in --config (default: the first one)')
  .option('--no-sandbox', 'run Chromium without its sandbox; only use this inside a container that confines it')
  .addHelpText('after', '\nExit code: 0 rendered, 1 there is no page, 2 it could not be rendered.')
  .action(later(async () => (await import('./render.js')).renderPage));

addJsonOption(addServerOption(program.command('refused')))
  .description('list the links that were refused since the server started, by reason and host, with samples')
  .option('--crawler <name>', 'only this crawler')
  .option('--reason <code>', 'only this reason code')
  .option('--host <host>', 'only links to this host')
  .option('--samples <number>', 'print at most this many samples (default: 20)')
  .action(listRefusedLinks);

addOperatingCommands(program);

addJsonOption(addServerOption(program.command('submit')))
  .description('submit a URL list to the running server')
  .requiredOption(
    '-f, --file <file>',
    'file with one URL per line, # for comments, \\ for continuation; - reads standard input',
  )
  .option('--crawler <name>', 'crawler to use; required if there are several')
  .action(submitUrls);

addJsonOption(addServerOption(program.command('clear')))
  .description('delete stored URLs, and their documents from the index')
  .argument('<pattern>', 'pattern for the whole URL, with * or % for any characters: http://www.example.com/*')
  .option('--crawler <name>', 'crawler to use; required if there are several')
  .option('-y, --yes', 'do not ask for confirmation')
  .action(deleteUrls);

addJsonOption(addServerOption(program.command('push')))
  .description(
    'send everything that is indexed to a sink, and follow the progress (the server continues without this command)',
  )
  .requiredOption('--again <sink>', 'name of the sink')
  .option('--crawler <name>', 'only the documents of this crawler')
  .option('--no-wait', 'return as soon as the server has started')
  .action(later(async () => (await import('./sinks.js')).pushAgain));

addJsonOption(addServerOption(addOrderList(program).command('retry')))
  .description('send refused orders again: their pages are fetched anew, and the result is pushed')
  .option('--sink <name>', 'only orders that this sink refused')
  .option('--answer <text>', "only orders whose answer contains this part of the sink's message")
  .option('--crawler <name>', 'only orders of this crawler')
  .action(later(async () => (await import('./sinks.js')).retryOrders));

addJsonOption(addServerOption(program.command('refresh')))
  .description(
    'visit a stored URL now, or all that match a pattern; a host that is backing off is sent only one request',
  )
  .argument('<url|pattern>', 'a URL, or a pattern for whole URLs: http://www.example.com/*')
  .option('--crawler <name>', 'crawler to use; required if there are several')
  .action(refreshUrls);

addJsonOption(addServerOption(program.command('status')))
  .description('show crawlers, sources, rates, errors and sinks of the running server')
  .option('--once', 'print once and exit')
  .action(showStatus);

addJsonOption(addServerOption(program.command('roots')))
  .description('list the start URLs and what became of each')
  .option('--crawler <name>', 'only this crawler')
  .action(listRoots);

const sinks = program.command('sinks').alias('sink').description('work with sinks, the destinations of push orders');
addJsonOption(addConfigurationOptions(sinks.command('test')))
  .description('test whether all sinks in the configuration, or one of them, respond, without sending orders')
  .argument('[name]')
  .addHelpText('after', '\nExit code: 0 all respond, 1 at least one does not.')
  .action(later(async () => (await import('./sinks.js')).testSinks));

addJsonOption(addServerOption(sinks.command('reconcile')))
  .description('compare what a sink holds with what the server knows: what is missing, extra or stale there')
  .argument('<name>')
  .option('--repair', 'send the missing and stale documents again, and delete the extra ones')
  .addHelpText('after', '\nExit code: 0 they are equal or were repaired, 2 they differ, 1 the comparison failed.')
  .action(later(async () => (await import('./sinks.js')).reconcileSink));
addJsonOption(addServerOption(sinks.command('adopt')))
  .description('take over documents that another program has put into the index of a sink; repeat it until none wait')
  .argument('<name>')
  .option('--field <name>', 'the field with their URL, in search engines', 'url')
  .action(later(async () => (await import('./sinks.js')).adoptDocuments));
addJsonOption(addServerOption(sinks.command('switch')))
  .description(
    'move the alias of a sink to the index that was filled beside the one in use, if nothing is missing there',
  )
  .argument('<name>')
  .option('--rollback', 'move it back to where it was before')
  .option('--force', 'move it without a comparison')
  .action(later(async () => (await import('./sinks.js')).switchSink));

addJsonOption(addConfigurationOptions(program.command('doctor')))
  .description('check everything that a crawl needs: Node, configuration, disk, DNS, sinks, clock, proxies')
  .option('--data <folder>', 'data directory of the server (default: $CRAWLWAY_DATA, or data)')
  .addHelpText('after', '\nExit code: 0 no check failed, 1 at least one did.')
  .action(later(async () => (await import('./doctor.js')).runDoctor));

addJsonOption(
  addConfigurationOptions(program.command('new').description('create files to start from').command('plugin')),
)
  .description('write a plug-in to start from, in the folder plugins next to the configuration')
  .argument('<name>')
  .action(later(async () => (await import('./new-plugin.js')).createPlugin));

addServerOption(program.command('mcp'))
  .description(
    'let an assistant inspect the running server and submit URLs, using the Model Context Protocol over stdio',
  )
  .action(serveAssistant);

program
  .command('completion')
  .description('print a script that completes commands: eval "$(crawlway completion bash)"')
  .argument('<shell>', SHELLS.join(', '))
  .action((shell: string) => printCompletion(program, shell));

const login = program.command('login').description('work with logins to web sites that the running server crawls');

addJsonOption(addServerOption(login.command('list')))
  .description('list the configured logins and their states')
  .action(listLogins);

addJsonOption(addServerOption(login.command('test')))
  .description('log in now and show each step, without secrets')
  .argument('<name>')
  .addHelpText('after', '\nExit code: 0 the login works, 2 it failed.')
  .action(testLogin);

const keys = program
  .command('keys')
  .description(
    'manage API keys of the running server (requires a key with the role admin), and keys that sign requests',
  );

addJsonOption(keys.command('new'))
  .description("create a key that signs a fetcher's requests (cw:BotAuth); needs no server")
  .option(
    '--out <file>',
    'write the private key to this file, readable only by its owner (default: to standard output)',
  )
  .action(later(async () => (await import('./keys.js')).createSigningKey));

addJsonOption(addServerOption(keys.command('list')))
  .description('list the names and roles of all keys')
  .action(later(async () => (await import('./keys.js')).listKeys));

addJsonOption(addServerOption(keys.command('create')))
  .description('create a key and print it; it is shown only this once')
  .argument('<name>', 'who uses the key, as shown in the audit log')
  .argument('<role>', GRANT_FORM)
  .option('--expires <when>', 'number of days like 90d, or a time like 2027-01-31T00:00:00Z (default: never)')
  .action(later(async () => (await import('./keys.js')).createKey));

addJsonOption(addServerOption(keys.command('revoke')))
  .description('revoke a key at once')
  .argument('<name>')
  .action(later(async () => (await import('./keys.js')).revokeKey));

const secrets = program
  .command('secrets')
  .description('manage the secrets to which the configuration refers: on the running server, or in its database');
const addSecretsOptions = (command: Command): Command =>
  addJsonOption(addServerOption(addConfigurationOptions(command)))
    .option('--data <folder>', 'data directory of a server that is not running (default: $CRAWLWAY_DATA, or data)')
    .option('--database <url>', 'database of the servers: postgres://… (default: $CRAWLWAY_DATABASE_URL)');

addSecretsOptions(secrets.command('list'))
  .description('list the names of all secrets, when each was set, and where it is used')
  .action(later(async () => (await import('./secrets.js')).listSecrets));

addSecretsOptions(secrets.command('set'))
  .description('set a secret; its value is read from standard input, or asked for on a terminal')
  .argument('<name>', `name for \${secret:NAME} in the configuration`)
  .action(later(async () => (await import('./secrets.js')).setSecret));

addSecretsOptions(secrets.command('remove'))
  .description('remove a secret that the configuration does not use')
  .argument('<name>')
  .action(later(async () => (await import('./secrets.js')).removeSecret));

addSecretsOptions(secrets.command('import'))
  .description('store the secrets that a configuration contains as plain text, and write references in their place')
  .argument('[file]', 'configuration file (default: $CRAWLWAY_CONFIG, or config/CrawlConfig.xml)')
  .action(later(async () => (await import('./secrets.js')).importSecrets));

const store = program.command('store').description('move the data of a stopped server to another database');
const addDatabaseOptions = (command: Command): Command =>
  command
    .option('--database <url>', 'sqlite:FILE or postgres://… (default: $CRAWLWAY_DATABASE_URL)')
    .option('--data <folder>', 'data directory with the SQLite file (default: $CRAWLWAY_DATA, or data)');

addJsonOption(addDatabaseOptions(store.command('export')))
  .description('write the crawl data as lines of JSON; continues an interrupted export')
  .argument('<file>', 'file to write; - writes to standard output')
  .action(later(async () => (await import('./store.js')).exportStore));

addJsonOption(addDatabaseOptions(store.command('import')))
  .description('read an export into an empty database and verify counts and digests; continues an interrupted import')
  .argument('<file>', 'file to read; - reads standard input')
  .action(later(async () => (await import('./store.js')).importStore));

/** With `crawlway … | head`, the reader stops reading, which is not an error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  fail(toFileError('standard output', 'written', error));
});

/** For a name that is no command, Commander would print the list of all, and for a subcommand that of its siblings. */
function showHelp(names: readonly string[]): never {
  let command: Command = program;
  for (const name of names) {
    const next = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
    if (!next) return command.error(`error: unknown command '${name}'`);
    command = next;
  }
  return command.help();
}

const names = process.argv.slice(2).filter((name) => !name.startsWith('-'));
const isFirst = (one: Command): boolean => [one.name(), ...one.aliases()].includes(names[0] ?? '');
const group = program.commands.find((one) => isFirst(one) && one.commands.length > 0);
const topicAt = names[0] === 'help' ? 0 : group && names[1] === 'help' ? 1 : -1;
if (topicAt >= 0) showHelp(names.toSpliced(topicAt, 1));
await program.parseAsync().catch(fail);
