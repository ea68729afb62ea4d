import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { PROJECT_ROOT } from '../project-root.js';
import { ConfigurationFile } from './configuration-file.js';

const REGISTER = pathToFileURL(join(PROJECT_ROOT, 'test/support/register-typescript.mjs')).href;
/** A mount of a file needs a namespace, which not every machine allows. */
const mounts = spawnSync('unshare', ['-rm', 'true']).status === 0;

function configurationFolder(): string {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'CrawlConfig.xml'), '<CrawlConfig><!-- the old one, which is longer --></CrawlConfig>');
  return folder;
}

it.runIf(mounts)('a configuration that is mounted by itself, as into a container, is written', () => {
  const folder = configurationFolder();
  const path = join(folder, 'CrawlConfig.xml');
  const program = `import { ConfigurationFile } from ${JSON.stringify(new URL('configuration-file.ts', import.meta.url).href)};
    const staged = await new ConfigurationFile(${JSON.stringify(path)}, {}, '').stage({ xml: '<CrawlConfig/>', ruleFiles: [] });
    await staged.commit();`;
  const script = 'mount --bind "$1" "$1" && exec "$2" --import "$3" --input-type=module -e "$4"';
  const args = ['-rm', 'sh', '-c', script, 'sh', path, process.execPath, REGISTER, program];
  execFileSync('unshare', args, { cwd: PROJECT_ROOT, stdio: 'pipe' });
  expect(readFileSync(path, 'utf8')).toBe('<CrawlConfig/>');
  expect(readdirSync(folder)).toEqual(['CrawlConfig.xml']);
});

it('a rule file whose name is that of a folder is refused before anything is written', async () => {
  const folder = configurationFolder();
  mkdirSync(join(folder, 'crawl.rules'));
  const file = new ConfigurationFile(join(folder, 'CrawlConfig.xml'), {} as never, '');
  const ruleFiles = [{ name: 'crawl.rules', kind: 'crawl.rules', text: 'allow domain a.example' } as never];
  await expect(file.stage({ xml: '<CrawlConfig/>', ruleFiles })).rejects.toThrow(
    /crawl\.rules cannot be written: it is a folder/,
  );
  expect(readdirSync(folder).sort()).toEqual(['CrawlConfig.xml', 'crawl.rules']);
});
