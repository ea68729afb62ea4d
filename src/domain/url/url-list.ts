/** The URLs of mnoGoSearch's url list. `#` begins a comment, a backslash at the end of a line goes on with the next one; a comment is a line of its own. */
export function urlListLines(text: string): string[] {
  const urls: string[] = [];
  let begun = '';
  for (const line of text.split(/\r?\n/)) {
    if (begun === '' && /^\s*#/.test(line)) continue;
    begun += line.replace(/\\$/, '').trim();
    if (line.endsWith('\\')) continue;
    if (begun !== '') urls.push(begun);
    begun = '';
  }
  return begun === '' ? urls : [...urls, begun];
}
