// One process: load a million rules of a set into the core, measure lines.
import { createCoreEngine } from '../src/engine/core/core-engine.ts';
import { isRejection } from '../src/engine/events/event-view.ts';
import { languages } from '../src/rules/languages.ts';
import { analyzerFor, readCorpus } from '../bench/corpus.ts';
import { rulesOf, vocabularyOf } from '../bench/rule-sets.ts';
const set=process.argv[2] as 'A', sizes=process.argv[3]!.split(',').map(Number);
const platform='x'; const { payloads } = readCorpus(platform); const analyze=analyzerFor(platform);
const vocab=vocabularyOf(platform,payloads,analyze); const texts=rulesOf(set,platform,vocab);
const language=languages({level:'enterprise',local:true})[platform];
const core=createCoreEngine({platform}); for(const p of payloads.slice(0,4000)) core.observe(analyze(p) as any);
const cpu=()=>{const c=process.cpuUsage();return c.user+c.system}; let put=0,parse=0;
const read=(l:Buffer)=>()=>{const v=analyze(JSON.parse(l.toString())); return isRejection(v)?undefined:v};
for(const size of sizes){
while(core.size<size){ const qs:any[]=[]; let b=cpu(); while(qs.length<2000){const {query}=language.parse(texts.next().value); if(query)qs.push(query);} parse+=cpu()-b;
 const base=core.size; b=cpu(); for(let i=0;i<qs.length&&core.size<size;i++)core.put(`rule_${base+i}`,qs[i]); put+=cpu()-b; }
console.log(set,size,'parse s',parse/1e6,'put s',put/1e6,'bytes/rule (core, tables of numbers and ids without their characters)',core.stats().bytes/size);
for(const kind of ['given','none']){ const N=15000; const lines=payloads.slice(4000,4000+N).map((p:any)=>{ if(kind==='none'){const {entities,...d}=p.data; p={...p,data:d}} return Buffer.from(JSON.stringify(p))});
 let best=1e9,m=0; const before=core.lineCounts; for(let t=0;t<4;t++){const b=cpu(); m=0; for(const l of lines) m+=core.matchLine(l,read(l))!.count; best=Math.min(best,(cpu()-b)/N);} const a=core.lineCounts;
 console.log(set,size,kind,best.toFixed(2),'µs',Math.round(1e6/best),'per CPU-s, matches',m/N,'left',((a.left-before.left)/(4*N)).toFixed(4)); }
}
