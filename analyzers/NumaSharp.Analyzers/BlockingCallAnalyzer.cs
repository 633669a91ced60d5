using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace NumaSharp.Analyzers;

/// <summary>NUMA0005: a callback of an event loop waits.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingCallAnalyzer : DiagnosticAnalyzer
{
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
            var waits = new WaitingMethods(start.Compilation);
            start.RegisterOperationAction(
                operation => Analyze(operation, types, waits, code),
                OperationKind.Invocation,
                OperationKind.PropertyReference);
        });
    }

    private static void Analyze(OperationAnalysisContext context, NumaTypes types, WaitingMethods waits, NodeCode code)
    {
        if (NameOfWait(context.Operation, types, waits) is { } name
            && code.KindOf(context.Operation, context.ContainingSymbol, context.CancellationToken) == NodeCodeKind.LoopCallback
            && !IsKnownToBeComplete(TaskOf(context.Operation))
            && !IsAfterAwait(context.Operation))
        {
            context.ReportDiagnostic(Diagnostic.Create(Rules.BlockingCall, context.Operation.Syntax.GetLocation(), name));
        }
    }

    private static string? NameOfWait(IOperation operation, NumaTypes types, WaitingMethods waits) => operation switch
    {
        { Parent: INameOfOperation } => null,
        IInvocationOperation call when waits.IsWait(call) => $"{call.TargetMethod.ContainingType.Name}.{call.TargetMethod.Name}",
        IInvocationOperation call when IsResultOfAwaiter(call) => "GetResult",
        IPropertyReferenceOperation { Property: { Name: "Result", ContainingType: var type } } when
            types.IsTask(type) || types.IsValueTask(type) => $"{type.Name}.Result",
        _ => null,
    };

    private static bool IsResultOfAwaiter(IInvocationOperation call) =>
        call.TargetMethod.Name == "GetResult"
        && s_awaiters.Contains(call.TargetMethod.ContainingType.Name)
        && call.TargetMethod.ContainingNamespace.ToDisplayString() == "System.Runtime.CompilerServices";

    // The task of task.Result, task.Wait(), task.GetAwaiter().GetResult() and the last with ConfigureAwait(false).
    private static IOperation? TaskOf(IOperation result)
    {
        if (result is IPropertyReferenceOperation property)
        {
            return property.Instance;
        }

        IOperation? task = result;
        while (task?.Unwrapped() is IInvocationOperation part
            && part.TargetMethod.Name is "Wait" or "GetResult" or "GetAwaiter" or "ConfigureAwait")
        {
            task = part.Instance;
        }

        return task;
    }

    // Whether the member asks the same task for its state.
    private static bool IsKnownToBeComplete(IOperation? task) =>
        task?.Unwrapped() is { } known
        && known.Root().Descendants().Any(each =>
            each is IPropertyReferenceOperation { Property.Name: var name, Instance: { } asked }
            && name is "IsCompleted" or "IsCompletedSuccessfully" or "IsFaulted" or "IsCanceled" or "Status"
            && AreSame(asked.Unwrapped(), known));

    // The same variable, or the same property or field of the same object: other expressions may be another task each time.
    private static bool AreSame(IOperation left, IOperation right) =>
        right.Variable() is { } variable
            ? SymbolEqualityComparer.Default.Equals(left.Variable(), variable)
            : right is IPropertyReferenceOperation or IFieldReferenceOperation
                && SyntaxFactory.AreEquivalent(left.Syntax, right.Syntax, topLevel: false);

    // An async callback has given the loop back at its first await, which may be that of await foreach.
    private static bool IsAfterAwait(IOperation operation) =>
        operation.Root().Descendants().Any(each =>
            each switch
            {
                IAwaitOperation => each,
                IForEachLoopOperation { IsAsynchronous: true, Collection: var sequence } => sequence,
                _ => null,
            } is { } awaited
            && each.Function() is null
            && awaited.Syntax.Span.End <= operation.Syntax.SpanStart);
}

/// <summary>The methods of .NET that wait, as a compilation knows them.</summary>
internal sealed class WaitingMethods(Compilation compilation)
{
    // By type: methods that wait, each with all its overloads, also in types that are derived.
    private static readonly ImmutableDictionary<string, ImmutableArray<string>> s_methods =
        ImmutableDictionary<string, ImmutableArray<string>>.Empty
            .Add("System.Threading.Thread", ImmutableArray.Create("Sleep", "Join"))
            .Add("System.Threading.Monitor", ImmutableArray.Create("Wait"))
            .Add("System.Threading.SpinWait", ImmutableArray.Create("SpinUntil"))
            .Add("System.Threading.SemaphoreSlim", ImmutableArray.Create("Wait"))
            .Add("System.Threading.ManualResetEventSlim", ImmutableArray.Create("Wait"))
            .Add("System.Threading.CountdownEvent", ImmutableArray.Create("Wait"))
            .Add("System.Threading.Barrier", ImmutableArray.Create("SignalAndWait"))
            .Add("System.Threading.WaitHandle", ImmutableArray.Create("WaitOne", "WaitAll", "WaitAny", "SignalAndWait"))
            .Add("System.Threading.Tasks.Task", ImmutableArray.Create("Wait", "WaitAll", "WaitAny"))
            .Add("System.Threading.Tasks.Parallel", ImmutableArray.Create("For", "ForEach", "Invoke"))
            .Add("System.Collections.Concurrent.BlockingCollection`1", ImmutableArray.Create("Take"))
            .Add("System.Diagnostics.Process", ImmutableArray.Create("WaitForExit"))
            .Add("System.Console", ImmutableArray.Create("Read", "ReadKey", "ReadLine"))
            .Add("System.Net.Dns", ImmutableArray.Create("GetHostAddresses", "GetHostEntry"))
            .Add("System.Net.Http.HttpClient", ImmutableArray.Create("Send"))
            .Add("System.Data.Common.DbConnection", ImmutableArray.Create("Open"))
            .Add("System.Data.Common.DbCommand", ImmutableArray.Create("ExecuteNonQuery", "ExecuteReader", "ExecuteScalar"))
            .Add("System.IO.File", ImmutableArray.Create(
                "ReadAllBytes", "ReadAllLines", "ReadAllText", "ReadLines", "WriteAllBytes", "WriteAllLines", "WriteAllText",
                "AppendAllBytes", "AppendAllLines", "AppendAllText", "Copy", "Move"));

    // By the method's name, which is all that most calls are compared with.
    private readonly ILookup<string, INamedTypeSymbol> _types = s_methods
        .SelectMany(
            static type => type.Value,
            (type, method) => (Method: method, Type: compilation.GetTypeByMetadataName(type.Key)))
        .Where(static each => each.Type is not null)
        .ToLookup(static each => each.Method, static each => each.Type!);

    /// <summary>Whether the call waits: not if its time-out is zero.</summary>
    public bool IsWait(IInvocationOperation call)
    {
        foreach (var type in _types[call.TargetMethod.Name])
        {
            if (NumaTypes.IsOrDerivesFrom(call.TargetMethod.ContainingType, type))
            {
                return !call.Arguments.Any(IsZeroTime);
            }
        }

        return false;
    }

    // A time-out of zero asks and does not wait. Thread.Sleep(0) gives the rest of the time slice away.
    private static bool IsZeroTime(IArgumentOperation argument) =>
        argument.Parameter?.Name is "millisecondsTimeout" or "milliseconds" or "timeout"
        && argument.Value.Unwrapped() switch
        {
            IFieldReferenceOperation { Field: { Name: "Zero", ContainingType.Name: "TimeSpan" } } => true,
            var value => value.ConstantValue is { HasValue: true, Value: 0 },
        };
}
