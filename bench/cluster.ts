/**
 * `npm run bench -- cluster nodes|curve|failover|statements [OPTION …]`: benchmarks with several nodes on one PostgreSQL. See
 * cluster-nodes.ts, cluster-curve.ts, cluster-failover.ts and cluster-statements.ts.
 */
const PARTS = ['nodes', 'curve', 'failover', 'statements'];
const part = process.argv[2];
if (part !== undefined && PARTS.includes(part)) await import(`./cluster-${part}.js`);
else {
  console.error(`specify one of the benchmarks: npm run bench -- cluster ${PARTS.join('|')}`);
  process.exitCode = 2;
}
