import java.nio.file.Path;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/**
 * One OpenSearch node on the loopback interface. Arguments: HTTP port, data folder, then settings as name=value. Prints "engine is
 * ready" when it answers, and ends when its standard input does, so that it never outlives the test run.
 */
public class OpenSearchEngine {
    public static void main(String[] arguments) throws Exception {
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> {
            settings.put("http.port", arguments[0]);
            settings.put("network.host", "127.0.0.1");
            settings.put("discovery.type", "single-node");
            settings.putList("node.roles", "cluster_manager", "data", "ingest");
            settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
            for (int i = 2; i < arguments.length; i++) {
                String[] setting = arguments[i].split("=", 2);
                settings.put(setting[0], setting[1]);
            }
        });
        String folder = Path.of(arguments[1]).toString();
        runner.build(OpenSearchRunner.newConfigs().numOfNode(1).basePath(folder).clusterName("crawlway-test"));
        runner.ensureYellow();
        System.out.println("engine is ready");
        while (System.in.read() >= 0) {
        }
        runner.close();
        System.exit(0);
    }
}
