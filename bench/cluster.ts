/** `npm run bench -- cluster nodes|failover|statements [OPTION …]`: several nodes on one PostgreSQL. See the files of these names. */
const PARTS = ['nodes', 'failover', 'statements'];
const part = process.argv[2];
if (part !== undefined && PARTS.includes(part)) await import(`./cluster-${part}.js`);
else {
  console.error(`say which: npm run bench -- cluster ${PARTS.join('|')}`);
  process.exitCode = 2;
}
