import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.miscellaneous.PerFieldAnalyzerWrapper;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.queryparser.classic.QueryParser;

/**
 * Lucene over a file of queries: MODE TEXT_FIELDS RULES EVENTS COMPARED BUDGET_MS TURNS
 *
 * RULES has a line for each: its number, its keys, its query, with tabs between. EVENTS has one event a line, as field=value
 * with tabs between. Prints what every peer prints: `loaded` with CPU seconds, `bytes` that the rules take, `match` with event and
 * rule for the first COMPARED events, `compared` with their number, and for each turn `measured` with events, CPU microseconds and
 * matches. A turn ends after BUDGET_MS of CPU time.
 */
abstract class LucenePeer {
  private static final long WARM_UP = 2_000_000_000L;

  protected final Analyzer analyzer;

  protected LucenePeer(String[] textFields) {
    Map<String, Analyzer> analyzers = new HashMap<>();
    for (String field : textFields) analyzers.put(field, new StandardAnalyzer(CharArraySet.EMPTY_SET));
    analyzer = new PerFieldAnalyzerWrapper(new KeywordAnalyzer(), analyzers);
  }

  /** One line of RULES, cut at its tabs. */
  protected abstract void load(List<String[]> rules) throws Exception;

  /** How many rules match the event, whose number is `at`. Each is told, unless `told` is null. */
  protected abstract int ask(String[] event, int at, StringBuilder told) throws Exception;

  protected final QueryParser parser() {
    QueryParser parser = new QueryParser("", analyzer);
    parser.setAllowLeadingWildcard(true);
    return parser;
  }

  protected static void tell(StringBuilder told, int event, String rule) {
    if (told != null) told.append("match\t").append(event).append('\t').append(rule).append('\n');
  }

  protected final void measure(String[] arguments) throws Exception {
    List<String[]> rules = lines(arguments[2]);
    List<String[]> events = lines(arguments[3]);
    int compared = Math.min(Integer.parseInt(arguments[4]), events.size());
    long budget = Long.parseLong(arguments[5]) * 1_000_000;

    long before = heapBytes();
    long began = cpuNanos();
    load(rules);
    System.out.println("loaded\t" + (cpuNanos() - began) / 1e9);
    System.out.println("bytes\t" + (heapBytes() - before));

    StringBuilder told = new StringBuilder();
    int asked = run(events.subList(0, compared), budget, told)[0];
    System.out.print(told);
    System.out.println("compared\t" + asked);

    // By then the virtual machine has compiled what it will.
    run(events, WARM_UP, null);
    for (int turn = Integer.parseInt(arguments[6]); turn > 0; turn--) {
      began = cpuNanos();
      int[] done = run(events, budget, null);
      System.out.println("measured\t" + done[0] + "\t" + (cpuNanos() - began) / 1e3 + "\t" + done[1]);
    }
  }

  private static List<String[]> lines(String path) throws Exception {
    List<String[]> lines = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(path))) lines.add(line.split("\t"));
    return lines;
  }

  /** Of this thread: what the compiler and the collector do in theirs is not counted. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** How many events were asked before the budget was spent, and how many matches there were. */
  private int[] run(List<String[]> events, long budget, StringBuilder told) throws Exception {
    long end = cpuNanos() + budget;
    int matches = 0;
    int at = 0;
    while (at < events.size() && cpuNanos() < end) matches += ask(events.get(at), at++, told);
    return new int[] {at, matches};
  }
}
