using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>fib(n - 1) is a task that is waited for, fib(n - 2) a call; an operation is fib(24).</summary>
internal sealed class FibonacciTasks(TaskScheduler scheduler) : ILoad
{
    private readonly Gate _gate = new();

    public Slice Run(int operations)
    {
        var clock = SliceClock.Start();
        for (var done = 0; done < operations; done++)
        {
            var result = 0;
            _gate.Close(1);
            _ = Fork(() =>
            {
                result = Compute(Fibonacci.Of);
                _gate.Open();
                return result;
            });
            _gate.Wait();
            Fibonacci.Check(result);
        }

        return clock.Stop(operations);
    }

    private int Compute(int n)
    {
        if (n < 2)
        {
            return n;
        }

        var first = Fork(() => Compute(n - 1));
        var second = Compute(n - 2);
        return first.Result + second;
    }

    private Task<int> Fork(Func<int> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
}
