using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>NUMA0005: a callback of an event loop waits.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingCallAnalyzer : DiagnosticAnalyzer
{
    // By type: methods that wait, each with all its overloads.
    private static readonly ImmutableDictionary<string, ImmutableHashSet<string>> s_waits =
        ImmutableDictionary<string, ImmutableHashSet<string>>.Empty
            .Add("System.Threading.Thread", ImmutableHashSet.Create("Sleep", "Join"))
            .Add("System.Threading.Monitor", ImmutableHashSet.Create("Wait"))
            .Add("System.Threading.SpinWait", ImmutableHashSet.Create("SpinUntil"))
            .Add("System.Threading.SemaphoreSlim", ImmutableHashSet.Create("Wait"))
            .Add("System.Threading.ManualResetEventSlim", ImmutableHashSet.Create("Wait"))
            .Add("System.Threading.CountdownEvent", ImmutableHashSet.Create("Wait"))
            .Add("System.Threading.Barrier", ImmutableHashSet.Create("SignalAndWait"))
            .Add("System.Threading.WaitHandle", ImmutableHashSet.Create("WaitOne", "WaitAll", "WaitAny", "SignalAndWait"))
            .Add("System.Threading.Tasks.Task", ImmutableHashSet.Create("Wait", "WaitAll", "WaitAny"))
            .Add("System.Diagnostics.Process", ImmutableHashSet.Create("WaitForExit"))
            .Add("System.Console", ImmutableHashSet.Create("Read", "ReadKey", "ReadLine"))
            .Add("System.Net.Dns", ImmutableHashSet.Create("GetHostAddresses", "GetHostEntry"))
            .Add("System.Net.Http.HttpClient", ImmutableHashSet.Create("Send"))
            .Add("System.IO.File", ImmutableHashSet.Create(
                "ReadAllBytes", "ReadAllLines", "ReadAllText", "ReadLines", "WriteAllBytes", "WriteAllLines", "WriteAllText",
                "AppendAllBytes", "AppendAllLines", "AppendAllText", "Copy", "Move"));

    private static readonly ImmutableHashSet<string> s_awaiters = ImmutableHashSet.Create(
        "TaskAwaiter", "ValueTaskAwaiter", "ConfiguredTaskAwaiter", "ConfiguredValueTaskAwaiter");

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.BlockingCall);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            if (NumaTypes.From(start.Compilation) is not { } types)
            {
                return;
            }

            var code = new NodeCode(types);
            start.RegisterOperationAction(
                operation => Analyze(operation, types, code), OperationKind.Invocation, OperationKind.PropertyReference);
        });
    }

    private static void Analyze(OperationAnalysisContext context, NumaTypes types, NodeCode code)
    {
        var name = context.Operation switch
        {
            IInvocationOperation call when IsWait(call) => $"{call.TargetMethod.ContainingType.Name}.{call.TargetMethod.Name}",
            IInvocationOperation call when IsResultOfAwaiter(call) && !IsKnownToBeComplete(TaskOf(call)) => "GetResult",
            IPropertyReferenceOperation { Property.Name: "Result", Instance: { } task } property when
                (types.IsTask(property.Property.ContainingType) || types.IsValueTask(property.Property.ContainingType))
                && !IsKnownToBeComplete(task) => $"{property.Property.ContainingType.Name}.Result",
            _ => null,
        };
        if (name is not null
            && code.KindOf(context.Operation, context.ContainingSymbol, context.CancellationToken) == NodeCodeKind.LoopCallback)
        {
            context.ReportDiagnostic(Diagnostic.Create(Rules.BlockingCall, context.Operation.Syntax.GetLocation(), name));
        }
    }

    private static bool IsWait(IInvocationOperation call)
    {
        var type = call.TargetMethod.ContainingType;
        return s_waits.TryGetValue($"{type.ContainingNamespace.ToDisplayString()}.{type.Name}", out var methods)
            && methods.Contains(call.TargetMethod.Name)
            && !call.Arguments.Any(IsZeroTime);
    }

    // A time-out of zero asks and does not wait. Thread.Sleep(0) gives the rest of the time slice away.
    private static bool IsZeroTime(IArgumentOperation argument) =>
        argument.Parameter?.Name is "millisecondsTimeout" or "milliseconds" or "timeout"
        && argument.Value.Unwrapped() switch
        {
            IFieldReferenceOperation { Field: { Name: "Zero", ContainingType.Name: "TimeSpan" } } => true,
            var value => value.ConstantValue is { HasValue: true, Value: 0 },
        };

    private static bool IsResultOfAwaiter(IInvocationOperation call) =>
        call.TargetMethod.Name == "GetResult"
        && s_awaiters.Contains(call.TargetMethod.ContainingType.Name)
        && call.TargetMethod.ContainingNamespace.ToDisplayString() == "System.Runtime.CompilerServices";

    // The task of task.GetAwaiter().GetResult() or task.ConfigureAwait(false).GetAwaiter().GetResult().
    private static IOperation? TaskOf(IInvocationOperation call)
    {
        IOperation? task = call;
        while (task?.Unwrapped() is IInvocationOperation part
            && part.TargetMethod.Name is "GetResult" or "GetAwaiter" or "ConfigureAwait")
        {
            task = part.Instance;
        }

        return task;
    }

    // Whether the member asks the same variable whether it is complete.
    private static bool IsKnownToBeComplete(IOperation? task) =>
        task?.Unwrapped().Variable() is { } variable
        && task.Root().Descendants().Any(each =>
            each is IPropertyReferenceOperation { Property.Name: "IsCompleted" or "IsCompletedSuccessfully", Instance: { } asked }
            && SymbolEqualityComparer.Default.Equals(asked.Unwrapped().Variable(), variable));
}
