using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Platform;

/// <summary>Reports all errors at once: unreadable values, values out of range, and what the machine lacks.</summary>
internal sealed class NumaOptionsValidator(NumaSection section, MachineReader machines) : IValidateOptions<NumaOptions>
{
    public ValidateOptionsResult Validate(string? name, NumaOptions options)
    {
        if (name != Options.DefaultName)
        {
            return ValidateOptionsResult.Skip;
        }

        List<SettingFailure> failures = [.. options.Unread];
        failures.AddRange(FindInvalid(options));
        failures.AddRange(FindInvalidInCode(options));
        failures.AddRange(OptionsCrossChecks.FindConflicts(options));
        if (!failures.Any(static failure => IsAboutTheMachine(failure.Path)))
        {
            failures.AddRange(FindMisfits(options));
        }

        return failures.Count == 0
            ? ValidateOptionsResult.Success
            : ValidateOptionsResult.Fail(failures
                .DistinctBy(static failure => failure.Path, StringComparer.OrdinalIgnoreCase)
                .Select(section.Describe));
    }

    private static IEnumerable<SettingFailure> FindInvalid(NumaOptions options) =>
        NumaSettings.All.SelectMany(setting => setting.FindInvalid(options));

    // Options without a key, which only code sets.
    private static IEnumerable<SettingFailure> FindInvalidInCode(NumaOptions options)
    {
        foreach (var (name, listener) in options.Udp)
        {
            foreach (var (option, value, allowed) in listener.FindInvalid())
            {
                yield return new SettingFailure($"Udp:{name}:{option}", $"{value}", $"must be {allowed}");
            }
        }

        if (!options.Scheduler.IsDrainTimeoutAllowed)
        {
            yield return new SettingFailure(
                "Scheduler:DrainTimeout",
                $"{options.Scheduler.DrainTimeout}",
                $"must be {NumaTaskSchedulerOptions.AllowedDrainTimeouts}");
        }
    }

    private IEnumerable<SettingFailure> FindMisfits(NumaOptions options)
    {
        var machine = machines.Read(options);
        if (machine.Topology is null)
        {
            return machine.Failures;
        }

        if (!NumaPlan.TryCreate(machine.Topology, PlanRequests.From(options), out var plan, out var problems))
        {
            return machine.Failures.Concat(problems.Select(Describe));
        }

        options.Plan = plan;
        return machine.Failures.Concat(OptionsCrossChecks.FindTooMuch(options, plan));
    }

    private static bool IsAboutTheMachine(string path) =>
        path.StartsWith("Topology", StringComparison.Ordinal)
        || path.StartsWith("Plugins", StringComparison.Ordinal)
        || path.EndsWith(":Provider", StringComparison.Ordinal);

    private SettingFailure Describe(NumaPlanProblem problem)
    {
        var path = PlanRequests.PathOf(problem);
        return new SettingFailure(path, section.TextOf(path) ?? problem.Value, problem.Message.TrimEnd('.'));
    }
}
