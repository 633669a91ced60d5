namespace Aspire.Hosting.ApplicationModel;

/// <summary>The settings that <c>WithNuma</c> passes to a resource; one per resource.</summary>
/// <param name="options">The settings.</param>
public sealed class NumaAnnotation(NumaResourceOptions options) : IResourceAnnotation
{
    /// <summary>The settings. They are read when the application starts or is published.</summary>
    public NumaResourceOptions Options { get; } = options ?? throw new ArgumentNullException(nameof(options));
}
