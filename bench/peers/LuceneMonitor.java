import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.monitor.CustomQueryHandler;
import org.apache.lucene.monitor.Monitor;
import org.apache.lucene.monitor.MonitorConfiguration;
import org.apache.lucene.monitor.MonitorQuery;
import org.apache.lucene.monitor.MultipassTermFilteredPresearcher;
import org.apache.lucene.monitor.Presearcher;
import org.apache.lucene.monitor.QueryMatch;
import org.apache.lucene.monitor.RegexpQueryHandler;
import org.apache.lucene.monitor.TermFilteredPresearcher;
import org.apache.lucene.monitor.TermWeightor;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.Query;

/**
 * Lucene's Monitor, with its presearcher of terms (`terms`), that of several passes (`passes`), or that of terms with its handler of
 * regular expressions (`ngrams`), which looks for a part of them in all parts of the words of an event.
 */
final class LuceneMonitor extends LucenePeer {
  /** Its documentation's own example. */
  private static final int PASSES = 4;

  private final Monitor monitor;

  private LuceneMonitor(String mode, String[] textFields) throws Exception {
    super(textFields);
    List<CustomQueryHandler> handlers = mode.equals("ngrams") ? List.of(new RegexpQueryHandler()) : List.of();
    Presearcher presearcher =
        mode.equals("passes")
            ? new MultipassTermFilteredPresearcher(PASSES, 0.0f, TermWeightor.DEFAULT, handlers, Set.of())
            : new TermFilteredPresearcher(TermWeightor.DEFAULT, handlers, Set.of());
    monitor = new Monitor(analyzer, presearcher, new MonitorConfiguration());
  }

  public static void main(String[] arguments) throws Exception {
    new LuceneMonitor(arguments[0], arguments[1].split(",")).measure(arguments);
    // Its thread that purges the cache of queries would go on.
    System.exit(0);
  }

  @Override
  protected void load(List<String[]> rules) throws Exception {
    QueryParser parser = parser();
    List<MonitorQuery> queries = new ArrayList<>(rules.size());
    for (String[] rule : rules) {
      Query query = parser.parse(rule[2]);
      queries.add(new MonitorQuery(rule[0], query, rule[2], Map.of()));
    }
    monitor.register(queries);
  }

  @Override
  protected int ask(String[] event, int at, StringBuilder told) throws Exception {
    Document document = new Document();
    for (String value : event) {
      int equals = value.indexOf('=');
      if (equals > 0) document.add(new TextField(value.substring(0, equals), value.substring(equals + 1), Field.Store.NO));
    }
    int matches = 0;
    for (QueryMatch match : monitor.match(document, QueryMatch.SIMPLE_MATCHER).getMatches()) {
      tell(told, at, match.getQueryId());
      matches++;
    }
    return matches;
  }
}
