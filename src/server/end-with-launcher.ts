/**
 * The launcher runs the program as its child. A launcher that is killed (kill -9) can hand on no signal: then the channel between
 * them ends, and the program ends as it would by SIGTERM, in order. Imported for this effect by what the launcher starts.
 */
if (process.channel) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Does not keep the program alive by itself.
  process.channel.unref();
}
