import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/**
 * One Kafka broker that is its own controller (KRaft), on the loopback interface. Arguments: port, port of the controller, data folder,
 * then further properties as name=value. Prints "engine is ready" when it answers, and ends when its standard input does.
 */
public class KafkaEngine {
    public static void main(String[] arguments) throws Exception {
        String port = arguments[0];
        String controller = arguments[1];
        Path folder = Path.of(arguments[2]);
        Files.createDirectories(folder);
        Path properties = folder.resolve("server.properties");
        StringBuilder text = new StringBuilder(String.join("\n", List.of(
            "process.roles=broker,controller",
            "node.id=1",
            "controller.quorum.voters=1@127.0.0.1:" + controller,
            "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
            "controller.listener.names=CONTROLLER",
            "log.dirs=" + folder.resolve("logs"),
            "num.partitions=3",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "group.initial.rebalance.delay.ms=0")));
        for (int i = 3; i < arguments.length; i++) text.append('\n').append(arguments[i]);
        Files.writeString(properties, text.append('\n').toString());
        String[] format = {"format", "--cluster-id", "Y3Jhd2x3YXktdGVzdC0wMQ", "--config", properties.toString(), "--ignore-formatted"};
        int code = kafka.tools.StorageTool.execute(format, System.err);
        if (code != 0) System.exit(code);
        Thread server = new Thread(() -> kafka.Kafka.main(new String[] {properties.toString()}));
        server.setDaemon(true);
        server.start();
        untilItAnswers(port);
        System.out.println("engine is ready");
        while (System.in.read() >= 0) {
        }
        System.exit(0);
    }

    private static void untilItAnswers(String port) throws Exception {
        for (int attempt = 0; ; attempt++) {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port, "request.timeout.ms", "2000", "default.api.timeout.ms", "3000"))) {
                admin.describeCluster().nodes().get();
                return;
            } catch (Exception error) {
                if (attempt > 60) throw error;
                Thread.sleep(500);
            }
        }
    }
}
