/** The commands that look after a running server: its configuration, crawlers and hosts, and what it knows and did. */
import { type Command, Option } from 'commander';
import {
  CRAWLER_ACTIONS,
  controlCrawlers,
  controlHost,
  decideHeld,
  decideMove,
  listHeld,
  listMoves,
  listOrders,
  listUrls,
  showAudit,
  showHost,
} from './control.js';
import { listCrawlers, removeCrawler, renameCrawler } from './crawlers.js';
import { showChanges, showUsage } from './status.js';

/** An action whose module is loaded when it runs: loading those of all commands would take longer than most commands. */
export const later =
  <A extends unknown[]>(load: () => Promise<(...values: A) => unknown>) =>
  async (...values: A): Promise<void> => {
    await (await load())(...values);
  };

export const addJsonOption = (command: Command): Command => command.option('--json', 'print the result as JSON');

export const addServerOption = (command: Command): Command =>
  command.option(
    '--server <url>',
    'URL of the running server (default: from $CRAWLWAY_HOST and $CRAWLWAY_PORT); its API key is read from $CRAWLWAY_API_KEY',
  );

const addLimitOption = (command: Command, noun: string): Command =>
  command.option('--limit <number>', `at most this many ${noun}, the newest first`, '50');

const UNTIL = 'end of the pause: a time such as 2027-01-31T08:00:00Z, or a period such as 90m, 2h or 3d';
const CONFIGURATION_FILE = 'configuration file; the rule files that it names are taken from its folder';
const addFileOption = (command: Command): Command => command.requiredOption('-f, --file <file>', CONFIGURATION_FILE);
const addConfirmation = (command: Command): Command =>
  command.option('-y, --yes', 'even if more than a tenth of the documents of a crawler are deleted');

export function addOperatingCommands(program: Command): void {
  addConfigurationCommands(program);
  const crawlerCommand = program
    .command('crawler')
    .description('list, start, pause, stop, rename and remove crawlers of the running server');
  addCrawlerCommands(crawlerCommand);
  for (const action of CRAWLER_ACTIONS) {
    const command = addJsonOption(addServerOption(crawlerCommand.command(action)))
      .description(`${action} a crawler, or all of them`)
      .argument('[name]')
      .action((name: string | undefined, options) => controlCrawlers(action, name, options));
    if (action === 'pause') command.option('--until <time>', UNTIL);
  }

  const hostCommand = program.command('host').description('show, pause and resume web servers, for all crawlers');
  addJsonOption(addServerOption(hostCommand.command('show')))
    .description('show a web server, and why it is crawled no faster')
    .argument('<host>', 'host name, with its port unless it is the default')
    .action(showHost);
  for (const action of ['pause', 'resume'] as const) {
    const command = addJsonOption(addServerOption(hostCommand.command(action)))
      .description(action === 'pause' ? 'fetch nothing from a web server until it is resumed' : 'crawl it again')
      .argument('<host>', 'host name, with its port unless it is the default')
      .action((host: string, options) => controlHost(action, host, options));
    if (action === 'pause') command.option('--until <time>', UNTIL);
  }

  addHeldCommands(program);
  addLimitOption(addJsonOption(addServerOption(program.command('urls'))), 'URLs')
    .description('list stored URLs, or export all that match')
    .option('--crawler <name>', 'crawler to use; required if there are several')
    .option('--status <status>', 'indexed, waiting, error, excluded, …')
    .option('--reason <code>', 'only this reason or error code')
    .option('--host <host>', 'only this web server')
    .option('--like <pattern>', 'pattern for whole URLs: http://www.example.com/*')
    .addOption(new Option('--export <format>', 'print all that match').choices(['csv', 'ndjson']))
    .action(listUrls);

  addLimitOption(addJsonOption(addServerOption(program.command('changes'))), 'documents')
    .description('list what is new, changed and gone in the index, by section and reason')
    .option('--since <time>', 'a time such as 2026-03-01T08:00:00Z, or a period such as 24h, 7d or 30m', '24h')
    .option('--crawler <name>', 'only documents of this crawler')
    .option('--section <url>', 'only URLs that begin with this, such as www.example.com/docs/')
    .addOption(new Option('--change <change>', 'only these documents').choices(['new', 'changed', 'gone']))
    .option('--diff <url>', 'compare the text of this document before and after its changes, where texts are kept')
    .action(showChanges);

  addJsonOption(addServerOption(program.command('usage')))
    .description('show what crawlers use by day, and their quotas')
    .option('--from <day>', 'first day (UTC), such as 2026-03-01; default: 29 days ago')
    .option('--to <day>', 'last day (UTC); default: today')
    .option('--crawler <name>', 'only this crawler')
    .option('--csv', 'print the days as CSV')
    .action(showUsage);

  addLimitOption(addJsonOption(addServerOption(program.command('audit'))), 'calls')
    .description('list who changed what through the API (requires the role admin)')
    .action(showAudit);
}

function addMoveCommands(moves: Command): void {
  addJsonOption(addServerOption(moves.command('list', { isDefault: true })))
    .description('list moves with their progress, and those that wait for a decision')
    .action(listMoves);
  for (const action of ['follow', 'decline'] as const)
    addJsonOption(addServerOption(moves.command(action)))
      .description(
        action === 'follow'
          ? 'crawl a site at the address to which its home page redirects'
          : 'do not, so that documents whose pages redirect there leave the index',
      )
      .argument('<root>', 'root, as moves list shows it')
      .option('--crawler <name>', 'crawler to use; required if there are several')
      .action((root: string, options) => decideMove(root, action === 'follow', options));
}

function addHeldCommands(program: Command): void {
  const heldCommand = program.command('held').description('what the deletion guard and the change guard hold');
  addJsonOption(addServerOption(heldCommand.command('list')))
    .description('list what is held, by host and reason')
    .argument('[host]', 'show the held changes of this web server with their texts')
    .action(listHeld);
  for (const action of ['release', 'drop'] as const)
    addJsonOption(addServerOption(heldCommand.command(action)))
      .description(
        action === 'release'
          ? 'send held deletions, and believe the pages of held changes'
          : 'keep the documents: until a later visit finds them gone again, or their pages say something else',
      )
      .argument('<host>', 'web server, as held list shows it')
      .option('--reason <code>', 'only what has this reason, such as one-page-everywhere')
      .action((host: string, options) => decideHeld(action, host, options));

  addMoveCommands(program.command('moves').description('sites that move to new addresses'));
}

function addCrawlerCommands(crawler: Command): void {
  const addDecision = (command: Command): Command =>
    addJsonOption(addServerOption(command)).option('-y, --yes', 'delete documents without asking');
  addJsonOption(addServerOption(crawler.command('list')))
    .description('list crawlers, and those that left the configuration while their documents are in the index')
    .action(listCrawlers);
  addDecision(crawler.command('rename'))
    .description('give a crawler another name in the configuration')
    .argument('<name>')
    .argument('<new-name>')
    .option('--documents <what>', 'delete, keep, or hand-over to the new name (the default)')
    .action(renameCrawler);
  addDecision(crawler.command('remove'))
    .description(
      'remove a crawler from the configuration, or decide about the documents of one that is not in it any more',
    )
    .argument('<name>')
    .option('--documents <what>', 'delete, keep, or hand-over=CRAWLER with the same sinks')
    .action(removeCrawler);
}

function addConfigurationCommands(program: Command): void {
  const configuration = program
    .command('config')
    .description('the configuration of the running server, and its history');

  addLimitOption(addJsonOption(addServerOption(configuration.command('history'))), 'versions')
    .description('list the configurations that have been in force')
    .action(later(async () => (await import('./configuration.js')).showHistory));

  addJsonOption(addServerOption(configuration.command('diff')))
    .description('compare two versions; with one, it and the configuration in force; without, the last change')
    .argument('[before]', 'number of a version')
    .argument('[after]', 'number of a version (default: the configuration in force)')
    .option('-f, --file <file>', 'compare the configuration in force with this file')
    .addHelpText('after', '\nExit code: 0 nothing differs, 2 something does, 1 the command failed.')
    .action(later(async () => (await import('./configuration.js')).diffConfigurations));

  const PLAN_CODES =
    '\nExit code: 0 nothing would change, 2 something would, 1 the file has errors or the command failed.';
  for (const command of [configuration.command('preview'), program.command('plan')])
    addFileOption(addJsonOption(addServerOption(command)))
      .description('show what a configuration would change for the stored URLs, without changing anything')
      .addHelpText('after', PLAN_CODES)
      .action(later(async () => (await import('./configuration.js')).planConfiguration));

  for (const command of [configuration.command('apply'), program.command('apply')])
    addConfirmation(addFileOption(addJsonOption(addServerOption(command))))
      .description('replace the configuration in force by a file')
      .action(later(async () => (await import('./configuration.js')).applyConfiguration));

  addConfirmation(addJsonOption(addServerOption(configuration.command('restore'))))
    .description('put an earlier version in force again, as a new version')
    .argument('<version>', 'number of the version, as config history shows it')
    .action(later(async () => (await import('./configuration.js')).restoreConfiguration));
}

/** Returns the command `orders`, which has others, too. */
export function addOrderList(program: Command): Command {
  const orders = program.command('orders').description('work with push orders');
  addLimitOption(addJsonOption(addServerOption(orders.command('list'))), 'orders')
    .description('list push orders: when and why each was decided, and how the sink responded')
    .option('--crawler <name>', 'only orders of this crawler')
    .option('--state <state>', 'pending, acknowledged, refused, held, cancelled, dropped, awaiting')
    .option('--kind <kind>', 'add or delete')
    .option('--uri <uri>', 'only orders for exactly this URI')
    .option('--host <host>', 'only orders for documents of this web server')
    .action(listOrders);
  return orders;
}
