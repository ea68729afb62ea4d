import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/temporary-directory.js';

const ROOT = join(import.meta.dirname, '..');
const FILES =
  'package.json package-lock.json openapi.yaml README.md CHANGELOG.md docs/tutorial.md deploy/helm/crawlway/Chart.yaml deploy/kubernetes/crawlway.yaml';

describe('npm run release', () => {
  let folder: string;
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  const git = (...args: string[]): string => run('git', ...args).stdout.trim();
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = run(process.execPath, join(ROOT, 'scripts/release.mjs'), ...args);
    return { status, said: (stdout + stderr).trim() };
  };
  const commit = (): void => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Something');
  };

  beforeEach(() => {
    folder = temporaryDirectory();
    for (const file of FILES.split(' ')) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(ROOT, file), join(folder, file));
    }
    writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n### Sinks\n- One more.\n');
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'Somebody');
    git('config', 'user.email', 'somebody@project.example');
    commit();
  });

  it('writes the version everywhere, makes a section of the changelog, commits and tags', () => {
    const { status, said } = release('3.4.5');
    expect([status, said]).toEqual([0, expect.stringContaining('git push --follow-tags origin main')]);
    const version = (file: string): string | undefined => (JSON.parse(text(file)) as { version: string }).version;
    expect([version('package.json'), version('package-lock.json')]).toEqual(['3.4.5', '3.4.5']);
    const { packages } = JSON.parse(text('package-lock.json')) as { packages: Record<string, { version: string }> };
    expect(packages['']!.version).toBe('3.4.5');
    expect(load(text('openapi.yaml'))).toHaveProperty('info.version', '3.4.5');
    expect(load(text('deploy/helm/crawlway/Chart.yaml'))).toMatchObject({ version: '3.4.5', appVersion: '3.4.5' });
    expect(text('deploy/kubernetes/crawlway.yaml').match(/image: crawlway:3\.4\.5$/gm)).toHaveLength(2);
    expect(text('README.md')).toContain('crawlway-3.4.5.tgz');
    expect(text('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 3\.4\.5 \(\d{4}-\d\d-\d\d\)\n\n### Sinks\n- One more\.\n$/,
    );
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '-1', '--format=%s %D')).toBe('Release 3.4.5 HEAD -> main, tag: v3.4.5');
    expect(git('tag', '--list', '--format=%(contents)')).toBe('Crawlway 3.4.5\n\n### Sinks\n- One more.');
    expect(release('notes', '3.4.5').said).toBe('### Sinks\n- One more.');
    // There is nothing new, until something is.
    expect(release('3.4.6')).toEqual({ status: 1, said: 'CHANGELOG.md has nothing under "Unreleased"' });
    writeFileSync(join(folder, 'CHANGELOG.md'), text('CHANGELOG.md').replace('Unreleased\n', 'Unreleased\n- New.\n'));
    commit();
    expect(release('3.4.5')).toEqual({ status: 1, said: 'v3.4.5 exists already' });
    expect(release('3.4.6').status).toBe(0);
    expect(release('notes', '3.4.6').said).toBe('- New.');
    expect(release('notes', '3.4.5').said).toBe('### Sinks\n- One more.');
  });

  it('changes nothing of an unclean folder, on another branch, or without a version', () => {
    const before = git('rev-parse', 'HEAD');
    expect(release()).toEqual({ status: 1, said: 'which version? npm run release -- X.Y.Z' });
    expect(release('v1.2.3').status).toBe(1);
    expect(release('notes', '9.9.9')).toEqual({ status: 1, said: 'CHANGELOG.md has no section 9.9.9' });
    writeFileSync(join(folder, 'new.txt'), '');
    expect(release('3.4.5').said).toBe('commit your changes first: git status');
    git('switch', '--quiet', '--create', 'side');
    expect(release('3.4.5').said).toBe('releases are made on main, and this is side');
    expect([git('rev-parse', 'HEAD'), git('tag')]).toEqual([before, '']);
    expect(text('package.json')).toContain('"version": "0.1.0"');
  });
});
