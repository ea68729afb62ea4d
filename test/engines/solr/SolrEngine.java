import java.nio.file.Path;
import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;

/**
 * One Solr on the loopback interface. Arguments: port, Solr home. Prints "engine is ready" when it answers, and ends when its standard
 * input does, so that it never outlives the test run.
 */
public class SolrEngine {
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        JettyConfig config = JettyConfig.builder().setContext("/solr").setPort(port).stopAtShutdown(true).build();
        System.setProperty("solr.jetty.host", "127.0.0.1");
        System.setProperty("host", "127.0.0.1");
        JettySolrRunner runner = new JettySolrRunner(Path.of(arguments[1]).toString(), config);
        runner.start();
        System.out.println("engine is ready");
        while (System.in.read() >= 0) {
        }
        runner.stop();
        System.exit(0);
    }
}
