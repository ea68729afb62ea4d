import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.ingest.DropProcessor;
import org.elasticsearch.ingest.Processor;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.IngestPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.PluginBundle;
import org.elasticsearch.plugins.PluginDescriptor;
import org.elasticsearch.plugins.PluginsLoader;

/**
 * One Elasticsearch node on the loopback interface. Arguments: HTTP port, data folder, then settings as name=value. Prints "engine is
 * ready" when it answers, and ends when its standard input does, so that it never outlives the test run.
 */
public class ElasticsearchEngine {
    private static final String NETTY = "META-INF/es-plugins/transport-netty4/plugin-descriptor.properties";

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[1]);
        Path config = Files.createDirectories(home.resolve("config"));
        Settings.Builder builder = Settings.builder()
            .put("path.home", home)
            .put("cluster.name", "crawlway-test")
            .put("http.port", arguments[0])
            .put("transport.port", 0)
            .put("network.host", "127.0.0.1")
            .put("discovery.type", "single-node")
            .put("cluster.routing.allocation.disk.threshold_enabled", false);
        for (int i = 2; i < arguments.length; i++) {
            String[] setting = arguments[i].split("=", 2);
            builder.put(setting[0], setting[1]);
        }
        Settings settings = builder.build();
        LogConfigurator.configureESLogging();
        LogConfigurator.configureWithoutConfig(settings);
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), config, () -> "node");
        Node node = new Node(environment, modules(home)).start();
        System.out.println("engine is ready");
        while (System.in.read() >= 0) {
        }
        node.close();
        System.exit(0);
    }

    /**
     * Modules of the class path. A distribution has a folder of jars for each, apart from those of the server; only the constructors
     * behind that, which are not public, take modules that a class loader already has.
     */
    private static PluginsLoader modules(Path home) throws ReflectiveOperationException, java.io.IOException {
        PluginDescriptor netty;
        try (InputStream descriptor = ClassLoader.getSystemResourceAsStream(NETTY)) {
            netty = PluginDescriptor.readInternalDescriptorFromStream(descriptor);
        }
        // As a file: constructors differ from version to version.
        String file = String.join(
            "\n", "name=ingest", "description=processors", "version=1", "elasticsearch.version=" + netty.getElasticsearchVersion(),
            "java.version=" + netty.getJavaVersion(), "classname=" + Ingest.class.getName()
        );
        PluginDescriptor ingest = PluginDescriptor.readInternalDescriptorFromStream(new ByteArrayInputStream(file.getBytes()));
        PluginBundle nettyBundle = make(PluginBundle.class, netty, home);
        PluginBundle ingestBundle = make(PluginBundle.class, ingest, home);
        Map<String, Object> layers = Map.of(
            netty.getName(), layer(nettyBundle, ClassLoader.getSystemClassLoader()),
            ingest.getName(), layer(ingestBundle, Ingest.class.getClassLoader())
        );
        return make(PluginsLoader.class, Set.of(nettyBundle, ingestBundle), Set.of(), layers);
    }

    private static Object layer(PluginBundle bundle, ClassLoader loader) throws ReflectiveOperationException {
        Class<?> layer = Class.forName("org.elasticsearch.plugins.PluginsLoader$LoadedPluginLayer");
        return make(layer, bundle, loader, ModuleLayer.boot(), loader, ModuleLayer.boot());
    }

    private static <T> T make(Class<T> type, Object... arguments) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return type.cast(constructor.newInstance(arguments));
    }

    /** Gives pipelines a processor of the server's own, which the module ingest-common registers in a distribution. */
    public static class Ingest extends Plugin implements IngestPlugin {
        @Override
        public Map<String, Processor.Factory> getProcessors(Processor.Parameters parameters) {
            return Map.of(DropProcessor.TYPE, new DropProcessor.Factory());
        }
    }
}
