namespace Aspire.Hosting.ApplicationModel;

/// <summary>The settings that <c>WithNuma</c> passes to a resource; one per resource.</summary>
/// <param name="settings">The settings.</param>
public sealed class NumaAnnotation(NumaResourceSettings settings) : IResourceAnnotation
{
    /// <summary>The settings. They are read when the application starts or is published.</summary>
    public NumaResourceSettings Settings { get; } = settings ?? throw new ArgumentNullException(nameof(settings));
}
