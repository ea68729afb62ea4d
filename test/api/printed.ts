import { vi } from 'vitest';

/** What a command prints to standard output. */
export async function printed(command: () => unknown): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await command();
  vi.restoreAllMocks();
  return text;
}
