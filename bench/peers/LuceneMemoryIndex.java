import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.miscellaneous.PerFieldAnalyzerWrapper;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.TermToBytesRefAttribute;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.index.memory.MemoryIndex;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.util.BytesRef;

/**
 * Lucene's MemoryIndex over a file of queries: every|keys TEXT_FIELDS RULES EVENTS COMPARED BUDGET_MS TURNS
 *
 * RULES has a line for each: its number, its keys, its query, with tabs between. EVENTS has one event a line, as field=value
 * with tabs between. With `every`, each event is asked every query; with `keys`, only those of which it has a key.
 * Prints what every peer prints: `loaded` with CPU seconds, `match` with event and rule for the first COMPARED events, `compared`
 * with their number, and for each turn `measured` with events, CPU microseconds and matches. A turn ends after BUDGET_MS of CPU time.
 */
final class LuceneMemoryIndex {
  private static final String BETWEEN_KEYS = "\u001f";

  private static final long WARM_UP = 2_000_000_000L;

  private final Analyzer analyzer;
  private final boolean byKeys;
  private int[] numbers;
  private Query[] queries;
  private final Map<String, Map<BytesRef, List<Integer>>> rulesByKey = new HashMap<>();
  private int[] askedAt;
  private int asks;

  private LuceneMemoryIndex(boolean byKeys, String[] textFields) {
    this.byKeys = byKeys;
    Map<String, Analyzer> analyzers = new HashMap<>();
    for (String field : textFields) analyzers.put(field, new StandardAnalyzer(CharArraySet.EMPTY_SET));
    analyzer = new PerFieldAnalyzerWrapper(new KeywordAnalyzer(), analyzers);
  }

  public static void main(String[] arguments) throws Exception {
    LuceneMemoryIndex peer = new LuceneMemoryIndex(arguments[0].equals("keys"), arguments[1].split(","));
    List<String[]> events = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(arguments[3]))) events.add(line.split("\t"));
    int compared = Math.min(Integer.parseInt(arguments[4]), events.size());
    long budget = Long.parseLong(arguments[5]) * 1_000_000;

    long began = cpuNanos();
    peer.load(Files.readAllLines(Path.of(arguments[2])));
    System.out.println("loaded\t" + (cpuNanos() - began) / 1e9);

    StringBuilder told = new StringBuilder();
    int asked = peer.run(events.subList(0, compared), budget, told)[0];
    System.out.print(told);
    System.out.println("compared\t" + asked);

    // By then the virtual machine has compiled what it will.
    peer.run(events, WARM_UP, null);
    for (int turn = Integer.parseInt(arguments[6]); turn > 0; turn--) {
      began = cpuNanos();
      int[] done = peer.run(events, budget, null);
      System.out.println("measured\t" + done[0] + "\t" + (cpuNanos() - began) / 1e3 + "\t" + done[1]);
    }
  }

  /** Of this thread: what the compiler and the collector do in theirs is not counted. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private void load(List<String> lines) throws Exception {
    QueryParser parser = new QueryParser("", analyzer);
    numbers = new int[lines.size()];
    queries = new Query[lines.size()];
    askedAt = new int[lines.size()];
    for (int rule = 0; rule < queries.length; rule++) {
      String[] parts = lines.get(rule).split("\t");
      numbers[rule] = Integer.parseInt(parts[0]);
      queries[rule] = parser.parse(parts[2]);
      for (String key : parts[1].split(BETWEEN_KEYS)) addKey(key, rule);
    }
  }

  /** A rule that needs a text needs its first word. */
  private void addKey(String key, int rule) throws IOException {
    String field = key.substring(0, key.indexOf('='));
    try (TokenStream words = analyzer.tokenStream(field, key.substring(field.length() + 1))) {
      TermToBytesRefAttribute term = words.addAttribute(TermToBytesRefAttribute.class);
      words.reset();
      if (words.incrementToken()) {
        BytesRef word = BytesRef.deepCopyOf(term.getBytesRef());
        rulesByKey.computeIfAbsent(field, name -> new HashMap<>()).computeIfAbsent(word, one -> new ArrayList<>()).add(rule);
      }
      words.end();
    }
  }

  /** How many events were asked before the budget was spent, and how many matches there were. */
  private int[] run(List<String[]> events, long budget, StringBuilder told) throws IOException {
    MemoryIndex index = new MemoryIndex();
    long end = cpuNanos() + budget;
    int matches = 0;
    int at = 0;
    while (at < events.size() && cpuNanos() < end) {
      index.reset();
      for (String value : events.get(at)) {
        int equals = value.indexOf('=');
        if (equals > 0) index.addField(value.substring(0, equals), value.substring(equals + 1), analyzer);
      }
      matches += ask(index, at++, told);
    }
    return new int[] {at, matches};
  }

  private int ask(MemoryIndex index, int event, StringBuilder told) throws IOException {
    IndexSearcher searcher = index.createSearcher();
    searcher.setQueryCache(null);
    LeafReaderContext leaf = searcher.getIndexReader().leaves().get(0);
    int matches = 0;
    if (!byKeys) {
      for (int rule = 0; rule < queries.length; rule++) matches += askOne(searcher, leaf, rule, event, told);
      return matches;
    }
    asks++;
    for (FieldInfo field : leaf.reader().getFieldInfos()) {
      Map<BytesRef, List<Integer>> rules = rulesByKey.get(field.name);
      Terms words = leaf.reader().terms(field.name);
      // A text of signs alone has no words.
      if (rules == null || words == null) continue;
      TermsEnum terms = words.iterator();
      for (BytesRef term = terms.next(); term != null; term = terms.next()) {
        for (int rule : rules.getOrDefault(term, List.of())) {
          if (askedAt[rule] == asks) continue;
          askedAt[rule] = asks;
          matches += askOne(searcher, leaf, rule, event, told);
        }
      }
    }
    return matches;
  }

  private int askOne(IndexSearcher searcher, LeafReaderContext leaf, int rule, int event, StringBuilder told)
      throws IOException {
    Query query = searcher.rewrite(queries[rule]);
    Scorer scorer = searcher.createWeight(query, ScoreMode.COMPLETE_NO_SCORES, 1).scorer(leaf);
    if (scorer == null || scorer.iterator().nextDoc() == DocIdSetIterator.NO_MORE_DOCS) return 0;
    if (told != null) told.append("match\t").append(event).append('\t').append(numbers[rule]).append('\n');
    return 1;
  }
}
