namespace NumaSharp.Analyzers.Tests;

public sealed class LeavesNodeTests
{
    [Theory]
    [InlineData("await Task.Delay(1).[|ConfigureAwait(false)|]; Use();")]
    [InlineData("await Task.FromResult(1).[|ConfigureAwait(false)|]; Use();")]
    [InlineData("await new ValueTask(Task.Delay(1)).[|ConfigureAwait(continueOnCapturedContext: false)|]; Use();")]
    [InlineData("if (await ReadAsync().[|ConfigureAwait(false)|] > 0) { Use(); }")]
    [InlineData("await Task.Delay(1).[|ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing)|]; Use();")]
    [InlineData("await scheduler.RunOnNode(1, Use).[|ConfigureAwait(false)|]; Use();")]
    [InlineData("await foreach (var each in ListAsync().[|ConfigureAwait(false)|]) { Use(each); }")]
    [InlineData("await foreach (var each in ListAsync().WithCancellation(default).[|ConfigureAwait(false)|]) { Use(each); }")]
    [InlineData("using var pool = new NumaMemoryPool(0); await Task.Delay(1).[|ConfigureAwait(false)|];")]
    [InlineData("try { await Task.Delay(1).[|ConfigureAwait(false)|]; } finally { Use(); }")]
    [InlineData("{ await Task.Delay(1).[|ConfigureAwait(false)|]; } Use();")]
    [InlineData("if (IsReady) { await Task.Delay(1).[|ConfigureAwait(false)|]; } Use();")]
    [InlineData("while (IsReady) { await Task.Delay(1).[|ConfigureAwait(false)|]; }")]
    [InlineData("await using (Open().[|ConfigureAwait(false)|]) { Use(); } Use();")]
    [InlineData("{ await using var it = Open().[|ConfigureAwait(false)|]; Use(it); } Use();")]
    [InlineData("using var pool = new NumaMemoryPool(0); await using var it = Open().[|ConfigureAwait(false)|]; Use(it);")]
    [InlineData("var far = async () => await scheduler.SwitchTo(0); await Task.Delay(1).[|ConfigureAwait(false)|]; Use(far);")]
    public Task ConfigureAwait_InATaskOfANode_IsReported(string body) => Sample.ReportsAsync("NUMA0001", InTask(body));

    [Theory]
    [InlineData("await Task.Delay(1); Use();")]
    [InlineData("await Task.Delay(1).ConfigureAwait(true); Use();")]
    [InlineData("await Task.Delay(1).ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext); Use();")]
    [InlineData("await shard.ReceiveAsync(batch).ConfigureAwait(false); Use();")]
    [InlineData("await Task.Delay(1).ConfigureAwait(false); await scheduler.SwitchTo(0); Use();")]
    [InlineData("Func<Task> later = async () => { await Task.Delay(1).ConfigureAwait(false); Use(); }; await later();")]
    [InlineData("Use(); await Task.Delay(1).ConfigureAwait(false);")]
    [InlineData("_ = (await ReadAsync().ConfigureAwait(false));")]
    [InlineData("if (IsReady) { Use(); } else await Task.Delay(1).ConfigureAwait(false);")]
    [InlineData("if (IsReady) { await Task.Delay(1).ConfigureAwait(false); return; } Use();")]
    [InlineData("if (IsReady) { await Task.Delay(1).ConfigureAwait(false); return; } using var pool = new NumaMemoryPool(0);")]
    [InlineData("await using (Open().ConfigureAwait(false)) { Use(); }")]
    [InlineData("await using var it = Open().ConfigureAwait(false); Use(it);")]
    [InlineData("await using var it = Open().ConfigureAwait(true); Use(it);")]
    [InlineData("await Task.Delay(1).ConfigureAwait(false); void Unused() => Use();")]
    [InlineData("await foreach (var each in shard.ReceiveAllAsync().ConfigureAwait(false)) { Use(each); }")]
    [InlineData("var configured = Task.Delay(1).ConfigureAwait(false); await Task.Yield(); Use(configured);")]
    public Task Awaits_ThatStayOrComeBack_AreNotReported(string body) => Sample.ReportsNothingAsync(InTask(body));

    [Theory]
    [InlineData("scheduler.RunOnNode(0, LoadAsync)")]
    [InlineData("scheduler?.RunOnNode(0, LoadAsync) ?? Task.CompletedTask")]
    [InlineData("((Func<Task>)LoadAsync).RunNumaLocal()")]
    [InlineData("new TaskFactory().StartNew(LoadAsync, CancellationToken.None, TaskCreationOptions.None, scheduler)")]
    [InlineData("Task.Factory.StartNew(LoadAsync, default, default, scheduler.ForNode(new NumaNodeId(2)))")]
    [InlineData("new TaskFactory(scheduler.ForNode(new NumaNodeId(2))).StartNew(LoadAsync)")]
    public Task ConfigureAwait_InAMethodThatRunsOnANode_IsReported(string start) => Sample.ReportsAsync("NUMA0001", $$"""
        class C
        {
            Task Start(NumaTaskScheduler scheduler) => {{start}};

            async Task LoadAsync()
            {
                await Task.Delay(1).[|ConfigureAwait(false)|];
                Console.WriteLine();
            }
        }
        """);

    [Fact]
    public Task ConfigureAwait_InWhatAFactoryOrAContinuationRunsOnANode_IsReported() => Sample.ReportsAsync("NUMA0001", """
        class C
        {
            Task Start(NumaTaskScheduler scheduler)
            {
                var factory = new TaskFactory(scheduler.ForNode(new(2)));
                return factory.StartNew(async () =>
                {
                    await Task.Delay(1).[|ConfigureAwait(false)|];
                    Console.WriteLine();
                }).ContinueWith(EndAsync, scheduler);
            }

            async Task EndAsync(Task before)
            {
                await before.[|ConfigureAwait(false)|];
                Console.WriteLine();
            }
        }
        """);

    [Fact]
    public Task ConfigureAwait_InAReturn_IsNotReported() => Sample.ReportsNothingAsync("""
        class C
        {
            Task<int> Start(NumaTaskScheduler scheduler, bool isFirst) => scheduler.RunOnNode(0, async () =>
            {
                if (isFirst)
                {
                    return await ReadAsync().ConfigureAwait(false);
                }

                Console.WriteLine();
                return await ReadAsync().ConfigureAwait(false);
            });

            static Task<int> ReadAsync() => Task.FromResult(1);
        }
        """);

    [Fact]
    public Task ConfigureAwait_InALocalFunctionThatRunsOnANode_IsReported() => Sample.ReportsAsync("NUMA0001", """
        class C
        {
            Task Start(NumaTaskScheduler scheduler)
            {
                return scheduler.RunOnNode(0, LoadAsync);

                async Task LoadAsync()
                {
                    await Task.Delay(1).[|ConfigureAwait(false)|];
                    Console.WriteLine();
                }
            }
        }
        """);

    [Fact]
    public Task ConfigureAwait_InAPartialMethodThatRunsOnANode_IsReported() => Sample.ReportsAsync("NUMA0001", """
        partial class C
        {
            Task Start(NumaTaskScheduler scheduler) => scheduler.RunOnNode(0, LoadAsync);

            private partial Task LoadAsync();

            private async partial Task LoadAsync()
            {
                await Task.Delay(1).[|ConfigureAwait(false)|];
                Console.WriteLine();
            }
        }
        """);

    // As in the Program.cs of an application.
    [Fact]
    public Task ConfigureAwait_InTopLevelStatements_IsReportedInWhatRunsOnANode() => Sample.ReportsAsync("NUMA0001", """
        var scheduler = NumaTaskScheduler.Shared;
        await scheduler.RunOnNode(0, LoadAsync);
        await scheduler.RunOnNode(0, async () =>
        {
            await Task.Delay(1).[|ConfigureAwait(false)|];
            Console.WriteLine();
        });
        await Task.Delay(1).ConfigureAwait(false);
        Console.WriteLine();

        async Task LoadAsync()
        {
            await Task.Delay(1).[|ConfigureAwait(false)|];
            Console.WriteLine();
        }
        """);

    [Theory]
    [InlineData("Task.Run(LoadAsync)")]
    [InlineData("scheduler.RunOnNode(0, async () => await LoadAsync().ConfigureAwait(false))")]
    [InlineData("Task.Factory.StartNew(LoadAsync, default, default, TaskScheduler.Default)")]
    [InlineData("Other.RunOnNode(0, LoadAsync)")]
    public Task ConfigureAwait_WhereNothingRunsOnANode_IsNotReported(string start) => Sample.ReportsNothingAsync($$"""
        static class Other
        {
            public static Task RunOnNode(int nodeIndex, Func<Task> work) => work();
        }

        class C
        {
            Task Start(NumaTaskScheduler scheduler) => {{start}};

            async Task LoadAsync()
            {
                await Task.Delay(1).ConfigureAwait(false);
                Console.WriteLine();
            }
        }
        """);

    [Theory]
    [InlineData("await [|Task.Run|](Use);")]
    [InlineData("await [|Task.Run|](async () => await Task.Delay(1));")]
    [InlineData("await [|Task.Factory.StartNew|](Use, default, default, TaskScheduler.Default);")]
    public Task ThreadPool_InATaskOfANode_IsReported(string body) => Sample.ReportsAsync("NUMA0002", InTask(body));

    // A factory without a scheduler takes that of the running task.
    [Theory]
    [InlineData("await Task.Factory.StartNew(Use);")]
    [InlineData("await Task.Factory.StartNew(Use, default, default, scheduler.ForNode(new NumaNodeId(2)));")]
    [InlineData("await scheduler.RunOnNode(0, Use);")]
    [InlineData("Func<Task> later = () => Task.Run(Use); await later();")]
    public Task Work_ThatStaysOnTheNode_IsNotReported(string body) => Sample.ReportsNothingAsync(InTask(body));

    // A factory of one's own may have the node's scheduler.
    [Fact]
    public Task StartNew_OfAnotherFactory_IsNotReported() => Sample.ReportsNothingAsync("""
        class C
        {
            private readonly NumaTaskScheduler scheduler = NumaTaskScheduler.Shared;

            private TaskFactory Factory => new(scheduler);

            void Start() => scheduler.QueueOnNode(0, _ => { Factory.StartNew(static () => { }); }, null);
        }
        """);

    [Theory]
    [InlineData("[|Task.Run|](static () => { });")]
    [InlineData("[|Task.Factory.StartNew|](static () => { });")]
    public async Task ThreadPool_InItemsAndCallbacks_IsReported(string body)
    {
        await Sample.ReportsAsync("NUMA0002", $$"""
            class C
            {
                void Start(NumaTaskScheduler scheduler) => scheduler.QueueOnNode(0, _ => { {{body}} }, null);
            }
            """);
        await Sample.ReportsAsync("NUMA0002", $$"""
            class C : EventLoopHandler
            {
                protected override void OnReady(EventLoopEvents events) { {{body}} }
            }
            """);
        await Sample.ReportsAsync("NUMA0002", $$"""
            class C : IDatagramHandler
            {
                public void OnBatch(in DatagramBatch batch) { {{body}} }
            }
            """);
    }

    [Fact]
    public Task ConfigureAwait_InATaskOfANode_CanBeRemoved() => Sample.IsFixedAsync(
        "NUMA0001",
        InTask("await ReadAsync()\n            .[|ConfigureAwait(false)|]; // then\n        Use();"),
        InTask("await ReadAsync(); // then\n        Use();"));

    [Fact]
    public Task ConfigureAwait_OfASequence_CanBeRemoved() => Sample.IsFixedAsync(
        "NUMA0001",
        InTask("await foreach (var each in ListAsync().[|ConfigureAwait(false)|]) { Use(each); }"),
        InTask("await foreach (var each in ListAsync()) { Use(each); }"));

    [Fact]
    public Task ConfigureAwait_OfAResource_CanBeRemoved() => Sample.IsFixedAsync(
        "NUMA0001",
        InTask("await using (Open().[|ConfigureAwait(false)|]) { Use(); } Use();"),
        InTask("await using (Open()) { Use(); } Use();"));

    [Fact]
    public Task ConfigureAwait_WithACommentBeforeIt_HasNoFix() => Sample.HasNoFixAsync(
        "NUMA0001", InTask("await ReadAsync() // first\n            .[|ConfigureAwait(false)|]; Use();"));

    // What else the options say must stay.
    [Fact]
    public Task ConfigureAwait_WithOptions_HasNoFix() => Sample.HasNoFixAsync(
        "NUMA0001", InTask("await Task.Delay(1).[|ConfigureAwait(ConfigureAwaitOptions.ForceYielding)|]; Use();"));

    [Fact]
    public Task ThreadPool_WithinRunOnNode_CanRunOnTheSameNode() => Sample.IsFixedAsync(
        "NUMA0002",
        InTask("await [|Task.Run|](Use, CancellationToken.None);"),
        InTask("await scheduler.RunOnNode(0, Use, CancellationToken.None);"));

    [Theory]
    [InlineData("NumaTaskScheduler.Shared.RunOnNode(0, static async () => { await ", "NumaTaskScheduler.Shared")]
    [InlineData("((NumaTaskScheduler)any).RunOnNode(0, async () => { await ", "((NumaTaskScheduler)any)")]
    public Task ThreadPool_WithinRunOnNode_CanRunOnTheSameScheduler(string start, string scheduler) => Sample.IsFixedAsync(
        "NUMA0002",
        Started($"{start}[|Task.Run|](Use); }})"),
        Started($"{start}{scheduler}.RunOnNode(0, Use); }})"));

    [Theory]
    [InlineData("scheduler.RunOnNode(index++, async () => { await [|Task.Run|](Use); })")]
    [InlineData("scheduler.RunOnNode(0, async () => { await [|Task.Run|](action: Use); })")]
    [InlineData("scheduler.RunOnNode(0, static async () => { await [|Task.Run|](Use); })")]
    [InlineData("((Func<Task>)(async () => { await [|Task.Run|](Use); })).RunNumaLocal()")]
    public Task ThreadPool_WhereTheNodeIsNotPlain_HasNoFix(string start) =>
        Sample.HasNoFixAsync("NUMA0002", Started(start));

    private static string Started(string start) => $$"""
        class C
        {
            Task Start(NumaTaskScheduler scheduler, TaskScheduler any, int index) => {{start}};

            static void Use()
            {
            }
        }
        """;

    private static string InTask(string body) => $$"""
        class C
        {
            Task Start(NumaTaskScheduler scheduler, NumaUdpShard shard, NumaDatagramBatch batch) =>
                scheduler.RunOnNode(0, async () =>
                {
                    {{body}}
                });

            static bool IsReady => Environment.ProcessorCount > 1;

            static Task<int> ReadAsync() => Task.FromResult(1);

            static IAsyncDisposable Open() => new MemoryStream();

            static async System.Collections.Generic.IAsyncEnumerable<int> ListAsync()
            {
                await Task.Yield();
                yield return 1;
            }

            static void Use()
            {
            }

            static void Use(object it)
            {
            }
        }
        """;
}
