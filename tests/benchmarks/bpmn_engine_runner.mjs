// Runs a BPMN file with bpmn-engine, in a folder of its own.
//
// A line on standard input is a path. The answer is a line: the seconds of one run, from the engine to its end event.
// A file is parsed and serialized once, before the clock starts; one run goes before it, so that the code is warm.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const load = createRequire(join(process.cwd(), 'package.json'));
const { Engine } = load('bpmn-engine');
const Elements = load('bpmn-elements');
const BpmnModdle = load('bpmn-moddle');
const { default: serialize, TypeResolver } = load('moddle-context-serializer');

async function seconds(sourceContext) {
  const start = performance.now();
  const engine = new Engine({ name: 'benchmark', sourceContext });
  const ended = engine.waitFor('end');
  await engine.execute();
  await ended;
  return (performance.now() - start) / 1000;
}

const known = new Map();
for await (const path of createInterface({ input: process.stdin })) {
  if (!known.has(path)) {
    const moddle = await new BpmnModdle().fromXML(readFileSync(path, 'utf8'));
    known.set(path, serialize(moddle, TypeResolver({ ...Elements })));
    await seconds(known.get(path));
  }
  console.log(await seconds(known.get(path)));
}
