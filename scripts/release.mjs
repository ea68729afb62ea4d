// Prepares a release: `npm run release -- X.Y.Z` writes the version where it is named, turns what is unreleased in the changelog
// into its section, commits, and tags the commit. Pushing the tag starts .github/workflows/release.yml, which publishes the npm
// package, the image, the chart and the release. `npm run release -- notes X.Y.Z` prints the changelog's section.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.cwd();
const read = (file) => readFileSync(join(root, file), 'utf8');

/** Where the version is named: a file, and what stands before the version and after it. */
const PLACES = [
  ['package.json', /^( {2}"version": ")[^"]+(",)$/m],
  ['package-lock.json', /^( {2}"version": ")[^"]+(",)$/m],
  ['package-lock.json', /^( {4}"": \{\n {6}"name": "crawlway",\n {6}"version": ")[^"]+(",)$/m],
  ['openapi.yaml', /^( {2}version: )\S+()$/m],
  ['deploy/helm/crawlway/Chart.yaml', /^(version: )\S+()$/m],
  ['deploy/helm/crawlway/Chart.yaml', /^(appVersion: )\S+()$/m],
  ['deploy/kubernetes/crawlway.yaml', /^( +image: crawlway:)\S+()$/gm],
  ['README.md', /(crawlway-)\d+\.\d+\.\d+(\.tgz)/g],
  ['docs/tutorial.md', /(crawlway-)\d+\.\d+\.\d+(\.tgz)/g],
];
const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## Unreleased\n';

class Refused extends Error {}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Refused(`git ${args[0]}: ${stderr.trim()}`);
  return stdout.trim();
}

/** @returns the text below the heading of a version, up to the next one */
function readNotes(version) {
  const sections = read(CHANGELOG).split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## ${version} `) || text.startsWith(`## ${version}\n`));
  if (section === undefined) throw new Refused(`${CHANGELOG} has no section ${version}`);
  return section.slice(section.indexOf('\n') + 1).trim();
}

/** @returns the new content of each file that is changed */
function prepareFiles(version, date) {
  const files = new Map();
  const get = (file) => files.get(file) ?? read(file);
  for (const [file, place] of PLACES) {
    const text = get(file);
    if (text.search(place) < 0) throw new Refused(`${file} does not name the version as expected: ${place.source}`);
    files.set(file, text.replace(place, `$1${version}$2`));
  }
  const [head, unreleased] = get(CHANGELOG).split(UNRELEASED, 2);
  const body = unreleased?.split(/^## /m)[0].trim();
  if (!body) throw new Refused(`${CHANGELOG} has nothing under "Unreleased"`);
  const rest = get(CHANGELOG).slice(head.length + UNRELEASED.length);
  files.set(CHANGELOG, `${head}${UNRELEASED}\n## ${version} (${date})\n${rest}`);
  return files;
}

function release(version) {
  if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Refused('which version? npm run release -- X.Y.Z');
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  if (branch !== 'main') throw new Refused(`releases are made on main, and this is ${branch}`);
  if (git('status', '--porcelain') !== '') throw new Refused('commit your changes first: git status');
  if (git('tag', '--list', `v${version}`) !== '') throw new Refused(`v${version} exists already`);
  const files = prepareFiles(version, new Date().toISOString().slice(0, 10));
  for (const [file, text] of files) writeFileSync(join(root, file), text);
  git('commit', '--quiet', '--message', `Release ${version}`, '--', ...files.keys());
  git(
    'tag',
    '--annotate',
    `v${version}`,
    '--cleanup=verbatim',
    '--message',
    `Crawlway ${version}\n\n${readNotes(version)}\n`,
  );
  console.log(`Release ${version} is committed and tagged. To publish it:\n\n  git push --follow-tags origin main\n`);
}

try {
  const [first, second] = process.argv.slice(2);
  if (first === 'notes') console.log(readNotes(second));
  else release(first);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
