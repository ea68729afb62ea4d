/**
 * The launcher runs the program as its child. A launcher that is killed with kill -9 cannot forward a signal, but the
 * IPC channel between the two closes, and the program then shuts down cleanly, as on SIGTERM. The launched program
 * imports this file for its side effect.
 */
if (process.channel) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // An open channel alone must not keep the program alive.
  process.channel.unref();
}
