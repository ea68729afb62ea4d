import { CrawlwayClient } from '../../client/index.js';
import { ServerClient, type ServerOption } from './client.js';

/** Offers the running server's tools to an assistant on standard input and output; ends when the input ends. */
export async function serveAssistant(options: ServerOption): Promise<void> {
  const { url } = new ServerClient(options);
  const [{ StdioServerTransport }, { createAssistantTools: createTools }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('../server/mcp/assistant-tools.js'),
  ]);
  const client = new CrawlwayClient({ server: url, key: process.env['CRAWLWAY_API_KEY'] || undefined });
  const server = createTools(client);
  const inputEnd = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
  });
  await server.connect(new StdioServerTransport());
  await inputEnd;
  await server.close();
}
