using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>fib(n - 1) is an item, fib(n - 2) a call, and the last of them adds both up; an operation is fib(24).</summary>
internal sealed class FibonacciShape : ILoadShape
{
    public ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue => new FibonacciLoad<TQueue>(queue);

    private sealed class FibonacciLoad<TQueue>(TQueue queue) : ILoad
        where TQueue : struct, IWorkQueue
    {
        private readonly Gate _gate = new();

        public Slice Run(int operations)
        {
            var clock = SliceClock.Start();
            for (var done = 0; done < operations; done++)
            {
                var root = new Node(this, parent: null, Fibonacci.Of);
                _gate.Close(1);
                queue.Queue(root);
                _gate.Wait();
                Fibonacci.Check(root.Sum);
            }

            return clock.Stop(operations);
        }

        private sealed class Node(FibonacciLoad<TQueue> load, Node? parent, int n) : IThreadPoolWorkItem
        {
            private int _missing = 2;
            private int _sum;

            public int Sum => _sum;

            public void Execute()
            {
                var node = this;
                var left = n;
                for (; left >= 2; left -= 2)
                {
                    load.Queue(new Node(load, node, left - 1));
                    node = new Node(load, node, left - 2);
                }

                node.End(left);
            }

            private void End(int result)
            {
                _sum = result;
                for (var above = parent; above is not null; above = above.Parent)
                {
                    Interlocked.Add(ref above._sum, result);
                    if (Interlocked.Decrement(ref above._missing) != 0)
                    {
                        return;
                    }

                    result = above._sum;
                }

                load._gate.Open();
            }

            private Node? Parent => parent;
        }

        private void Queue(Node node) => queue.QueueInside(node);
    }
}
