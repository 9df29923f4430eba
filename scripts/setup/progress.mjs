const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Says what is being done and how long it took: short lines, and a moving one only where somebody watches. */
export function createProgress(out = process.stderr) {
  const started = performance.now();
  const since = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
  const say = (line) => out.write(`${line}\n`);

  function begin(name, from) {
    if (!out.isTTY) {
      say(`  ${name} …`);
      return () => {};
    }
    let turn = 0;
    const timer = setInterval(() => out.write(`\r${FRAMES[turn++ % FRAMES.length]} ${name} ${since(from)} `), 120);
    return () => {
      clearInterval(timer);
      out.write('\r\x1b[K');
    };
  }

  async function step(name, work) {
    const from = performance.now();
    const end = begin(name, from);
    let mark = '✗';
    try {
      const result = await work();
      // A program that was run answers whether it did its work.
      mark = result?.ok === false ? '✗' : '✓';
      return result;
    } finally {
      end();
      say(`${mark} ${name} (${since(from)})`);
    }
  }

  return { say, step, elapsed: () => since(started) };
}
