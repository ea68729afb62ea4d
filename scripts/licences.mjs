// Collects the licences of packages whose code is bundled into the program; they must be distributed together with it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * Returns the content of a single file with the licences of all packages to which these files belong, each licence text
 * once.
 */
export function collectLicences(files) {
  const folders = new Set(files.map(findPackageFolder).filter(Boolean));
  const packagesByText = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = readLicenceText(folder) || `(${license}; the package does not contain its text)`;
    packagesByText.set(text, [...(packagesByText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...packagesByText].map(([text, packages]) => `${packages.sort().join('\n')}\n\n${text}\n`).sort();
  return `Crawlway includes parts of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** Finds the folder of the package in node_modules to which a file belongs. */
function findPackageFolder(file) {
  const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file.replace(/^\0/, ''))?.[0];
  return folder && existsSync(join(folder, 'package.json')) ? folder : undefined;
}

const readLicenceText = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim())
    .join('\n\n');
