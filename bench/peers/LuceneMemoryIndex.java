import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.TokenStream;
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
 * Lucene's MemoryIndex: with `every`, each event is asked every query; with `keys`, only those of which it has a key.
 */
final class LuceneMemoryIndex extends LucenePeer {
  private static final String BETWEEN_KEYS = "\u001f";

  private final boolean byKeys;
  private final MemoryIndex index = new MemoryIndex();
  private String[] numbers;
  private Query[] queries;
  private final Map<String, Map<BytesRef, List<Integer>>> rulesByKey = new HashMap<>();
  private int[] askedAt;
  private int asks;

  private LuceneMemoryIndex(boolean byKeys, String[] textFields) {
    super(textFields);
    this.byKeys = byKeys;
  }

  public static void main(String[] arguments) throws Exception {
    new LuceneMemoryIndex(arguments[0].equals("keys"), arguments[1].split(",")).measure(arguments);
  }

  @Override
  protected void load(List<String[]> rules) throws Exception {
    QueryParser parser = parser();
    numbers = new String[rules.size()];
    queries = new Query[rules.size()];
    askedAt = new int[rules.size()];
    for (int rule = 0; rule < queries.length; rule++) {
      String[] parts = rules.get(rule);
      numbers[rule] = parts[0];
      queries[rule] = parser.parse(parts[2]);
      if (byKeys) for (String key : parts[1].split(BETWEEN_KEYS)) addKey(key, rule);
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

  @Override
  protected int ask(String[] event, int at, StringBuilder told) throws IOException {
    index.reset();
    for (String value : event) {
      int equals = value.indexOf('=');
      if (equals > 0) index.addField(value.substring(0, equals), value.substring(equals + 1), analyzer);
    }
    return askQueries(at, told);
  }

  private int askQueries(int event, StringBuilder told) throws IOException {
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
    tell(told, event, numbers[rule]);
    return 1;
  }
}
