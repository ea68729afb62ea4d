/** The `crawlway` command: one subcommand a file in this folder. */
import { Command } from 'commander';
import { fail } from '../server/fail.js';
import { run } from '../server/run.js';
import { SERVER_VERSION } from '../server/version.js';
import { check } from './check.js';
import { clear } from './clear.js';
import { crawl } from './crawl.js';
import { explain } from './explain.js';
import { status } from './status.js';
import { storeExport, storeImport } from './store.js';
import { submit } from './submit.js';

const program = new Command('crawlway')
  .description('Crawls web sites and keeps a search index true to them.')
  .version(SERVER_VERSION)
  .showHelpAfterError()
  .configureHelp({ showGlobalOptions: true });

const withServer = (command: Command): Command =>
  command.option(
    '--server <url>',
    'the running server (else CRAWLWAY_HOST and CRAWLWAY_PORT; key in CRAWLWAY_API_KEY)',
  );

const withConfiguration = (command: Command): Command =>
  command.option('--config <file>', 'the configuration (else CRAWLWAY_CONFIG, else config/CrawlConfig.xml)');

withConfiguration(program.command('serve'))
  .description('run the server')
  .option('--data <folder>', 'where it keeps what it knows (else CRAWLWAY_DATA, else data)')
  .option('--port <number>', 'port of API and console (else CRAWLWAY_PORT, else 8740)')
  .option('--host <address>', 'address to listen on (else CRAWLWAY_HOST, else 127.0.0.1)')
  .option(
    '--no-sample',
    'do not start the bundled sample site and index, even when the configuration names their addresses',
  )
  .action((options) => run(options, options.sample));

program
  .command('crawl')
  .description('crawl whole sites to the end, without a server')
  .argument('<url...>', 'where to begin; a URL that ends in / stands for its site, another for its folder')
  .option('--out <file>', 'write push orders there as JSON lines (else to the standard output)')
  .option('--delay <ms>', 'pause between two requests to one web server (else 2500; 0 on this machine)')
  .option('--max-pages <number>', 'end after so many pages, sitemaps included')
  .addHelpText(
    'after',
    '\nExit code: 0 crawled to the end, 2 a start URL could not be crawled, 3 --max-pages reached, 130 interrupted.',
  )
  .action(crawl);

program
  .command('check')
  .description('check a configuration: every problem as FILE:LINE:COLUMN code message')
  .argument('[file]', 'the configuration (else CRAWLWAY_CONFIG, else config/CrawlConfig.xml)')
  .addHelpText('after', '\nExit code: 0 no errors, 1 errors.')
  .action(check);

withServer(withConfiguration(program.command('explain')))
  .description('say why a URL is crawled, or not: asks the running server, or judges by the configuration alone')
  .argument('<url>')
  .option('--crawler <name>', 'only this crawler')
  .option('--from <referrer>', 'judge it as a link on this page')
  .action(explain);

withServer(program.command('submit'))
  .description('submit a url list to the running server')
  .requiredOption('-f, --file <file>', 'one URL a line, # comments, \\ continuation; - reads the standard input')
  .option('--crawler <name>', 'the crawler, when there are several')
  .action(submit);

withServer(program.command('clear'))
  .description('delete stored URLs, and their documents from the index')
  .argument('<pattern>', 'SQL LIKE pattern: http://www.example.com/%')
  .option('--crawler <name>', 'the crawler, when there are several')
  .option('-y, --yes', 'do not ask')
  .action(clear);

withServer(program.command('status'))
  .description('show crawlers, sources, rates, errors and sinks of the running server')
  .option('--once', 'print once and end')
  .action(status);

const store = program.command('store').description('move what a stopped server knows to another database');
const withDatabase = (command: Command): Command =>
  command
    .option('--database <url>', 'sqlite:FILE or postgres://… (else CRAWLWAY_DATABASE_URL)')
    .option('--data <folder>', 'the data directory of the SQLite file (else CRAWLWAY_DATA, else data)');

withDatabase(store.command('export'))
  .description('write what the crawl knows as lines of JSON; an interrupted export goes on')
  .argument('<file>', '- writes to the standard output')
  .action(storeExport);

withDatabase(store.command('import'))
  .description('read an export into an empty database and check counts and digests; an interrupted import goes on')
  .argument('<file>', '- reads the standard input')
  .action(storeImport);

/** `crawlway … | head`: the reader has read enough, and that is no fault. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  fail(error);
});

await program.parseAsync().catch(fail);
