/** What a page of an application says, and no other page of the site. */
export const sentence = (application: string, page: string): string =>
  `The ${page} page of ${application} is written by scripts alone, in a ${application}-${page}-sentence of its own.`;

/** Data of the application's server. */
export async function load(url: string): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}
