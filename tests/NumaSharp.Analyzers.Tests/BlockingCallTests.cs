namespace NumaSharp.Analyzers.Tests;

public sealed class BlockingCallTests
{
    [Theory]
    [InlineData("[|Thread.Sleep(10)|];")]
    [InlineData("[|task.Wait()|];")]
    [InlineData("[|Task.WaitAll(task)|];")]
    [InlineData("Use([|task.Result|]);")]
    [InlineData("Use([|new ValueTask<int>(task).Result|]);")]
    [InlineData("Use([|task.GetAwaiter().GetResult()|]);")]
    [InlineData("Use([|task.ConfigureAwait(false).GetAwaiter().GetResult()|]);")]
    [InlineData("[|gate.Wait()|];")]
    [InlineData("[|gate.AvailableWaitHandle.WaitOne()|];")]
    [InlineData("Use([|File.ReadAllText(\"name\")|]);")]
    [InlineData("Use([|System.Net.Dns.GetHostEntry(\"name\")|]);")]
    [InlineData("[|Parallel.For(0, 8, _ => { })|];")]
    [InlineData("Use([|new System.Collections.Concurrent.BlockingCollection<int>().Take()|]);")]
    [InlineData("System.Data.Common.DbCommand command = null!; Use([|command.ExecuteNonQuery()|]);")]
    public async Task Wait_InACallback_IsReported(string body)
    {
        await Sample.ReportsAsync("NUMA0005", InHandler(body));
        await Sample.ReportsAsync("NUMA0005", InDatagramHandler(body));
    }

    [Theory]
    [InlineData("gate.Wait(0);")]
    [InlineData("Use(gate.AvailableWaitHandle.WaitOne(TimeSpan.Zero));")]
    [InlineData("if (task.IsCompletedSuccessfully) { Use(task.Result); }")]
    [InlineData("if (task.IsCompleted) { Use(task.GetAwaiter().GetResult()); }")]
    [InlineData("if (task.IsFaulted) { task.Wait(); }")]
    [InlineData("if (task.Status == TaskStatus.RanToCompletion) { Use(task.Result); }")]
    [InlineData("if (task?.IsCompleted == true) { Use(task.Result); }")]
    [InlineData("if (Pending.IsCompleted) { Use(Pending.Result); }")]
    [InlineData("if (pair.Task.IsCompleted) { Use(pair.Task.Result); }")]
    [InlineData("lock (gate) { Use(gate); }")]
    [InlineData("ThreadPool.QueueUserWorkItem(_ => Thread.Sleep(10));")]
    [InlineData("Use(File.Exists(\"name\"));")]
    [InlineData("Use(nameof(task.Result));")]
    [InlineData("Use(File.ReadAllTextAsync(\"name\"));")]
    public Task Call_ThatDoesNotWait_IsNotReported(string body) => Sample.ReportsNothingAsync(InHandler(body));

    // Each call may return another task.
    [Fact]
    public Task Wait_ForTheResultOfACall_IsReported() => Sample.ReportsAsync("NUMA0005", """
        class C : EventLoopHandler
        {
            protected override void OnReady(EventLoopEvents events)
            {
                if (ReadAsync().IsCompleted)
                {
                    _ = [|ReadAsync().Result|];
                }
            }

            static Task<int> ReadAsync() => Task.FromResult(1);
        }
        """);

    // What overrides a method that waits, waits.
    [Fact]
    public Task Wait_OfADerivedType_IsReported() => Sample.ReportsAsync("NUMA0005", """
        sealed class Gate : WaitHandle
        {
            public override bool WaitOne() => true;
        }

        class C : EventLoopHandler
        {
            private readonly Gate gate = new();

            protected override void OnReady(EventLoopEvents events) => [|gate.WaitOne()|];
        }
        """);

    [Fact]
    public Task Wait_InACallbackInTwoParts_IsReported() => Sample.ReportsAsync("NUMA0005", """
        partial class C : IDatagramHandler
        {
            public partial void OnBatch(in DatagramBatch batch);

            public partial void OnBatch(in DatagramBatch batch) => [|Thread.Sleep(10)|];
        }
        """);

    // At the first await the loop gets its thread back.
    [Fact]
    public Task Wait_AfterAnAwait_IsNotReported() => Sample.ReportsAsync("NUMA0005", """
        class C : EventLoopHandler
        {
            protected override async void OnReady(EventLoopEvents events)
            {
                [|Thread.Sleep(10)|];
                await Task.Yield();
                Thread.Sleep(10);
            }
        }
        """);

    [Fact]
    public Task Wait_AfterASequence_IsNotReported() => Sample.ReportsAsync("NUMA0005", """
        class C : EventLoopHandler
        {
            protected override async void OnReady(EventLoopEvents events)
            {
                [|Thread.Sleep(10)|];
                await foreach (var each in ListAsync())
                {
                    Thread.Sleep(each);
                }

                Thread.Sleep(10);
            }

            static async System.Collections.Generic.IAsyncEnumerable<int> ListAsync()
            {
                await Task.Yield();
                yield return 1;
            }
        }
        """);

    // A scheduler adds workers for those that are blocked.
    [Fact]
    public Task Wait_InATaskOfANode_IsNotReported() => Sample.ReportsNothingAsync("""
        class C
        {
            Task Start(NumaTaskScheduler scheduler) => scheduler.RunOnNode(0, () => Thread.Sleep(10));

            public void OnBatch(in DatagramBatch batch) => Thread.Sleep(10);

            protected void OnReady(EventLoopEvents events) => Thread.Sleep(10);
        }
        """);

    [Fact]
    public Task Wait_InAnOverrideOfAHandler_IsReported() => Sample.ReportsAsync("NUMA0005", """
        abstract class Base : IDatagramHandler
        {
            public virtual void OnBatch(in DatagramBatch batch)
            {
            }
        }

        sealed class Derived : Base
        {
            public override void OnBatch(in DatagramBatch batch) => [|Thread.Sleep(10)|];
        }
        """);

    private static string InHandler(string body) => $$"""
        class C : EventLoopHandler
        {
            private readonly SemaphoreSlim gate = new(1);
            private Task<int> task = Task.FromResult(1);
            private TaskCompletionSource<int> pair = new();

            private Task<int> Pending => task;

            protected override void OnReady(EventLoopEvents events)
            {
                {{body}}
            }

            static void Use(object it)
            {
            }
        }
        """;

    private static string InDatagramHandler(string body) => $$"""
        class C : IDatagramHandler
        {
            private readonly SemaphoreSlim gate = new(1);
            private Task<int> task = Task.FromResult(1);

            void IDatagramHandler.OnBatch(in DatagramBatch batch)
            {
                {{body}}
            }

            static void Use(object it)
            {
            }
        }
        """;
}
