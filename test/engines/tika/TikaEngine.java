import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.tika.server.core.TikaServerCli;

/**
 * A Tika server on the loopback interface. Argument: HTTP port. Prints "engine is ready" when it answers, and ends when its
 * standard input does, so that it never outlives the test run.
 */
public class TikaEngine {
    public static void main(String[] arguments) throws Exception {
        String port = arguments[0];
        Thread server = new Thread(() -> {
            try {
                TikaServerCli.main(new String[] {"--host", "127.0.0.1", "--port", port, "--noFork"});
            } catch (Exception failure) {
                failure.printStackTrace();
                System.exit(1);
            }
        });
        server.setDaemon(true);
        server.start();
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest version = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/version")).build();
        for (;;) {
            try {
                client.send(version, BodyHandlers.ofString());
                break;
            } catch (java.io.IOException notYet) {
                Thread.sleep(100);
            }
        }
        System.out.println("engine is ready");
        while (System.in.read() >= 0) {
        }
        System.exit(0);
    }
}
